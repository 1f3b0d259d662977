// SPDX-License-Identifier: Apache-2.0
//
// The public functions about emitted records: where they stand, and sending them now.
#include "base/diagnostics.hpp"
#include "export/exporters.hpp"
#include "export/pipeline.hpp"
#include "handle/configuration.hpp"
#include "handle/emitted_stream.hpp"
#include "handle/handle.hpp"

#include <gym/telemetry/emitted.hpp>
#include <gym/telemetry/gates.hpp>

#include <chrono>
#include <exception>
#include <thread>

namespace gym::telemetry {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds claim_pause{10};

settings settings_in_force() {
    if (const auto session = detail::current_session()) return session->config();
    return detail::resolve_settings({}, detail::environment::of_process());
}

bool gates_are_open(const settings& config) {
    const std::uint64_t gates = detail::gates_of(config);
    return config.telemetry_on && config.metrics_enabled &&
           (gates >> static_cast<int>(span_group::sandbox) & 1) != 0;
}

// Waits for another process that is sending them, as long as there is time.
std::string_view begin(detail::emitted_stream& stream, steady_clock::time_point deadline) {
    while (true) {
        const std::string_view body = stream.begin(false);
        if (stream.is_claimed() || steady_clock::now() + claim_pause > deadline) return body;
        std::this_thread::sleep_for(claim_pause);
    }
}

// True when every exporter took all of it.
bool send(std::string_view body, const settings& config, steady_clock::time_point deadline) {
    detail::prepare_transports();
    const auto exporters = detail::make_exporters(config);
    detail::export_limits limits;
    limits.set_deadline(deadline);
    bool taken = !exporters.empty();
    for (const auto& to : exporters) {
        detail::shipment metrics{.signal = detail::signal_kind::metrics, .body = body};
        to->send({&metrics, 1}, limits);
        taken &=
            metrics.result == detail::outcome::ok || metrics.result == detail::outcome::partial;
    }
    return taken;
}

}  // namespace

std::string default_emitted_file() {
    return detail::emitted_file_of(detail::environment::of_process());
}

emitted_records send_emitted(const std::string& file) {
    emitted_records seen;
    const settings config = settings_in_force();
    if (!gates_are_open(config)) return seen;
    const auto deadline = steady_clock::now() + milliseconds(config.otlp_metrics.timeout_ms);
    detail::emitted_stream stream(file, config);
    const std::string_view body = begin(stream, deadline);
    seen.recorded = stream.recorded();
    seen.refused = stream.refused();
    seen.sent = body.empty() ? stream.is_claimed() : send(body, config, deadline);
    if (!body.empty()) stream.end(seen.sent);
    return seen;
}

}  // namespace gym::telemetry
