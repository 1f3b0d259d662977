// SPDX-License-Identifier: Apache-2.0
#include "http/pool_recorder.hpp"

#include "http/connect_counts.hpp"

#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/recorders.hpp>

namespace gym::telemetry::http {

namespace {

class telemetry_recorder_type final : public pool_recorder {
public:
    void asked(std::string_view destination) override { process_counts().add(destination); }

    void queued(double duration_ms, std::string_view constraint, std::string_view outcome,
                std::string_view destination) override {
        record_http_connection_pool_queue_duration(duration_ms, constraint, outcome, destination);
    }

    void connected(double duration_ms, std::string_view outcome,
                   std::string_view destination) override {
        record_http_connection_pool_connect_duration(duration_ms, outcome, destination);
    }
};

}  // namespace

pool_recorder& telemetry_recorder() noexcept {
    // Never destroyed: pools of other threads may still record while the process exits.
    static auto& recorder = *new telemetry_recorder_type;
    return recorder;
}

pool_recorder* recorder_by_gate() noexcept {
    if (!metrics_enabled()) return nullptr;
    process_counts().attach();
    return &telemetry_recorder();
}

}  // namespace gym::telemetry::http
