// SPDX-License-Identifier: Apache-2.0
#include "export/grpc_exporter.hpp"
#include "export/grpc_target.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace gym::telemetry::detail {

namespace {

class split_exporter final : public exporter {
public:
    split_exporter(std::unique_ptr<exporter> http, std::unique_ptr<exporter> grpc,
                   const settings& config)
        : http_(std::move(http)),
          grpc_(std::move(grpc)),
          over_grpc_{goes_over_grpc(config, signal_kind::metrics),
                     goes_over_grpc(config, signal_kind::traces)} {}

    std::string_view name() const noexcept override { return "otlp"; }

    void send(std::span<shipment> what, const export_limits& limits) override {
        // Those that go over gRPC first.
        std::vector<shipment> sorted(what.begin(), what.end());
        const auto middle = std::ranges::stable_partition(sorted, [this](const shipment& s) {
            return over_grpc_[static_cast<std::size_t>(s.signal)];
        });
        const std::span<shipment> by_grpc(sorted.begin(), middle.begin());
        const std::span<shipment> by_http(middle.begin(), sorted.end());
        if (by_grpc.empty() || by_http.empty()) {
            (by_grpc.empty() ? *http_ : *grpc_).send(sorted, limits);
        } else {
            std::thread other([&] { grpc_->send(by_grpc, limits); });
            http_->send(by_http, limits);
            other.join();
        }
        for (shipment& s : what)
            s = *std::ranges::find(sorted, s.body.data(),
                                   [](const shipment& each) { return each.body.data(); });
    }
    void wake() noexcept override {
        http_->wake();
        grpc_->wake();
    }
    void abandon_in_child() noexcept override {
        http_->abandon_in_child();
        grpc_->abandon_in_child();
    }

private:
    std::unique_ptr<exporter> http_;
    std::unique_ptr<exporter> grpc_;
    std::array<bool, 2> over_grpc_;
};

}  // namespace

std::unique_ptr<exporter> split_by_protocol(std::unique_ptr<exporter> http,
                                            std::unique_ptr<exporter> grpc,
                                            const settings& config) {
    if (http == nullptr) return grpc;
    if (grpc == nullptr) return http;
    return std::make_unique<split_exporter>(std::move(http), std::move(grpc), config);
}

}  // namespace gym::telemetry::detail
