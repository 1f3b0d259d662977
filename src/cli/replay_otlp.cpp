// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/diagnostics.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include <base/environment.hpp>
#include <base/url.hpp>
#include <cli/replay_otlp.hpp>
#include <engine/reader.hpp>
#include <export/metrics_request.hpp>
#include <export/otlp_exporter.hpp>
#include <handle/configuration.hpp>
#include <handle/handle.hpp>
#include <otlp/envelope.hpp>

namespace gymtel {
namespace {

namespace telemetry = gym::telemetry;
namespace detail = gym::telemetry::detail;

constexpr std::string_view metrics_path = "/v1/metrics";
constexpr std::int64_t ns_per_s = 1'000'000'000;
// Of an int64 in nanoseconds: the year 2262. A row may claim anything.
constexpr double latest_s = 9.2e9;

void complain(const telemetry::diagnostic& what, void* out) {
    static_cast<console*>(out)->complain("gymtel replay: " + std::string(what.message));
}

detail::http_target target_of(const std::string& url) {
    const telemetry::settings config =
        detail::resolve_settings({}, detail::environment::of_process());
    detail::http_target target = detail::http_target_of(config.otlp_metrics);
    target.url = url.ends_with(metrics_path) ? url : detail::join_url(url, metrics_path.substr(1));
    return target;
}

std::int64_t to_ns(double seconds) noexcept {
    return static_cast<std::int64_t>(std::min(seconds, latest_s) * 1e9);
}

struct times_ns {
    std::int64_t start;
    std::int64_t end;
};

times_ns resolve(const run_times& times) noexcept {
    if (times.newest_s > 0) return {to_ns(times.oldest_s), to_ns(times.newest_s)};
    return {times.file_time_s * ns_per_s, times.file_time_s * ns_per_s};
}

// Without what differs from one replay to the next: telemetry about telemetry, and the clock.
void make_repeatable(telemetry::engine::snapshot& what, times_ns times) {
    what.start_time_ns = times.start;
    what.time_ns = times.end;
    for (auto& metric : what.metrics) {
        metric.start_time_ns = times.start;
        if (!metric.instrument->self_metric) continue;
        metric.numbers.clear();
        metric.histograms.clear();
    }
}

}  // namespace

std::string instance_id_of(std::vector<std::string> content_hashes) {
    std::ranges::sort(content_hashes);
    content_hash all;
    for (const std::string& each : content_hashes) all.add(each);
    return all.text();
}

struct replay_sender::parts {
    explicit parts(const std::string& url)
        : source(detail::current_session()->source()),
          reader(source, {}),
          to(detail::make_otlp_exporter({.metrics = target_of(url), .traces = {}})),
          timeout(target_of(url).timeout) {}

    std::shared_ptr<telemetry::engine::generation> source;
    telemetry::engine::reader reader;
    std::unique_ptr<detail::exporter> to;
    std::chrono::milliseconds timeout;
};

replay_sender::replay_sender(std::string url, console& out) {
    telemetry::set_diagnostics_handler(complain, &out);
    parts_ = std::make_unique<parts>(url);
}

replay_sender::~replay_sender() {
    telemetry::set_diagnostics_handler(nullptr);
}

bool replay_sender::is_usable() const noexcept {
    return parts_->to != nullptr;
}

bool replay_sender::send(const std::string& instance_id, const run_times& times) {
    telemetry::engine::snapshot what = parts_->reader.collect();
    make_repeatable(what, resolve(times));
    detail::metrics_request_writer writer(
        {telemetry::otlp::encode_resource({{"service.name", "nemo-gym"},
                                           {"service.instance.id", instance_id},
                                           {"telemetry.sdk.name", "gym-telemetry"},
                                           {"telemetry.sdk.language", "cpp"},
                                           {"telemetry.sdk.version", GYMTEL_VERSION}}),
         telemetry::otlp::encode_scope("gym.telemetry", GYMTEL_VERSION)});
    detail::request_summary summary;
    detail::shipment metrics{.signal = detail::signal_kind::metrics,
                             .body = writer.write(what, summary)};
    if (summary.points == 0) return true;
    detail::export_limits limits;
    limits.set_deadline(std::chrono::steady_clock::now() + parts_->timeout);
    parts_->to->send({&metrics, 1}, limits);
    return metrics.result == detail::outcome::ok;
}

}  // namespace gymtel
