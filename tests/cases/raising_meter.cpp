// SPDX-License-Identifier: Apache-2.0
#include "raising_meter.hpp"

#include "verdict.hpp"

#ifdef GYM_CASES_HAVE_BRIDGE

#include "failing_meter.hpp"
#include "handle/embedding.hpp"
#include "otel/meter_sink.hpp"

#include <atomic>
#include <limits>

#include <opentelemetry/sdk/metrics/export/metric_producer.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>

namespace gym::telemetry::cases {

namespace {

namespace sdk = opentelemetry::sdk::metrics;

class pull_reader final : public sdk::MetricReader {
public:
    sdk::AggregationTemporality GetAggregationTemporality(
        sdk::InstrumentType) const noexcept override {
        return sdk::AggregationTemporality::kCumulative;
    }
    bool OnForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool OnShutDown(std::chrono::microseconds) noexcept override { return true; }
};

// The bridge's own sink, and then an exception, as an instrument would throw that could.
class raising_sink final : public engine::foreign_sink {
public:
    raising_sink(std::shared_ptr<engine::foreign_sink> bridge, std::atomic<std::size_t>& raised)
        : bridge_(std::move(bridge)), raised_(raised) {}

    void record(engine::instrument_id id, const engine::instrument_row& row,
                const std::string_view* values, engine::measurement what) override {
        bridge_->record(id, row, values, what);
        raise();
    }
    void observe(engine::instrument_id id, const engine::instrument_row& row,
                 std::shared_ptr<engine::observable> ask) override {
        bridge_->observe(id, row, std::move(ask));
        raise();
    }

private:
    [[noreturn]] void raise() {
        ++raised_;
        throw std::runtime_error("this instrument throws");
    }

    std::shared_ptr<engine::foreign_sink> bridge_;
    std::atomic<std::size_t>& raised_;
};

}  // namespace

struct raising_meter::owner final : detail::part_maker {
    detail::adopted_parts make(const settings&) override {
        test::failing_provider failing(
            new test::failing_meter(provider.GetMeter("inner"), std::numeric_limits<int>::max()));
        auto sink = otel::meter_sink::make(otel::meter_instruments::of(failing).instruments);
        return {.metrics = std::make_shared<raising_sink>(std::move(sink), raised), .spans = {}};
    }

    std::shared_ptr<pull_reader> reader = std::make_shared<pull_reader>();
    sdk::MeterProvider provider;
    std::atomic<std::size_t> raised{0};
};

raising_meter::raising_meter() : owner_(std::make_unique<owner>()) {
    owner_->provider.AddMetricReader(owner_->reader);
}

void raising_meter::begin(const options& block) {
    detail::init_embedded(block, owner_.get());
}

std::size_t raising_meter::arrived() const {
    std::size_t points = 0;
    owner_->reader->Collect([&](sdk::ResourceMetrics& all) {
        for (const auto& scope : all.scope_metric_data_)
            for (const auto& metric : scope.metric_data_) points += metric.point_data_attr_.size();
        return true;
    });
    return points;
}

std::size_t raising_meter::raised() const {
    return owner_->raised;
}

#else

namespace gym::telemetry::cases {

struct raising_meter::owner {};

raising_meter::raising_meter() {
    throw skip("recording into a foreign meter needs the bridge");
}
void raising_meter::begin(const options&) {}
std::size_t raising_meter::arrived() const {
    return 0;
}
std::size_t raising_meter::raised() const {
    return 0;
}

#endif

raising_meter::~raising_meter() = default;

}  // namespace gym::telemetry::cases
