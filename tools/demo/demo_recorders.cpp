// SPDX-License-Identifier: Apache-2.0
//
// Records known values through every recorder, exports them as the environment says, and prints
// what was recorded as JSON, in the form of `gymtel replay --json`. For tools/demo/victoria.py.
// Fails when a row of the table was left out. With --check nothing is exported: a test runs that.
#include <gym/telemetry/sandbox_extensions.hpp>
#include <gym/telemetry/telemetry.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include <cli/console.hpp>
#include <cli/replay_json.hpp>
#include <instruments/catalogue.hpp>

namespace {

namespace telemetry = gym::telemetry;

void record_sandboxes() {
    telemetry::record_sandbox_active(3, "docker");
    telemetry::record_sandbox_active(-1, "docker");
    telemetry::record_sandbox_startup(249.5, "docker");
    telemetry::record_sandbox_startup(61000, "docker");
    telemetry::record_sandbox_exec_duration(250, "apptainer \"quoted\"");
    for (int i = 0; i < 7; ++i) telemetry::record_sandbox_create_retry("docker");
}

void record_sandbox_extensions() {
    telemetry::record_sandbox_starting(2, "docker");
    telemetry::record_sandbox_starting(-1, "docker");
    telemetry::record_sandbox_start_outcome(1800001, "failed", "docker");
    telemetry::record_sandbox_start_outcome(249.5, "ok", "docker");
    telemetry::record_sandbox_exec_outcome(0, "cancelled", "docker");
    telemetry::record_sandbox_release("released", "docker");
    telemetry::record_sandbox_release("lost", "docker");
}

void record_servers() {
    telemetry::record_server_startup_stage(1234.5, "load_config", "policy", "responses_api_models");
    telemetry::record_server_startup_stage(5, "uvicorn_startup", "env", "", true);
    telemetry::record_http_connection_pool_queue_duration(0.5, "total", "ok", "env");
    telemetry::record_http_connection_pool_queue_duration(31000, "per_host", "abandoned", "env");
    telemetry::record_http_connection_pool_connect_duration(12, "failed", "external");
}

void record_rollouts() {
    telemetry::record_rollout_completed("scored", "env");
    telemetry::record_rollout_completed(
        "failed", "env",
        {.failure_class = "agent", .failure_kind = "sandbox:oom", .failure_type = "MemoryError"});
    for (const double reward : {-1.0, 0.0, 0.5, 1.0, 2.0})
        telemetry::record_rollout_reward(reward, "env", reward == 0.5);
    const std::string_view checks[] = {"empty_answer", "no_tokens"};
    telemetry::record_rollout_health("unhealthy", "scored", checks);
    telemetry::record_rollout_health("healthy", "failed", {});
    telemetry::record_rollout_duration(90000);
    telemetry::record_verify(17, true);
    telemetry::record_verify(18, false);
    telemetry::record_active_servers(4);
    telemetry::record_server_request(2.5);
}

// True when each row of the table that is not about telemetry itself has a point.
bool is_complete(const telemetry::collection& recorded) {
    bool complete = true;
    for (const auto& row : telemetry::instruments::catalogue) {
        const bool found = std::ranges::any_of(recorded.points, [&](const telemetry::point& point) {
            return point.instrument == row.name;
        });
        if (found || row.self_metric) continue;
        std::fprintf(stderr, "demo_recorders: nothing is recorded to %.*s\n",
                     static_cast<int>(row.name.size()), row.name.data());
        complete = false;
    }
    return complete;
}

}  // namespace

int main(int argc, char** argv) {
    const bool check_only = argc > 1 && std::string_view(argv[1]) == "--check";
    telemetry::set_diagnostics_handler([](const telemetry::diagnostic& what, void*) {
        std::fprintf(stderr, "demo_recorders: %.*s\n", static_cast<int>(what.message.size()),
                     what.message.data());
    });
    telemetry::init({.enabled = true, .exporter = check_only ? "memory" : "otlp,memory"});
    telemetry::register_http_connection_pool_connect_counter(
        [] { return std::map<std::string, int>{{"env", 42}, {"external", 0}}; });
    record_sandboxes();
    record_sandbox_extensions();
    record_servers();
    record_rollouts();
    const telemetry::collection recorded = telemetry::collect();
    const bool is_sent = telemetry::shutdown();
    const bool is_shown = gymtel::write_stdout(gymtel::to_json(recorded, {}));
    return is_complete(recorded) && is_shown && is_sent ? 0 : 1;
}
