// SPDX-License-Identifier: Apache-2.0
//
// Startup timelines: where the time goes between the spawn of a server and its first connection.
//
//     int main() {
//         gym::telemetry::server_startup startup({.server_name = "math"});  // first thing in main
//         load_config();      startup.mark("load_config");
//         gym::telemetry::init(...);
//         make_app();         startup.mark("configure_app");
//         listen();           startup.serving();  // the last stage, and the report
//
// A stage is closed by the mark that ends it; a repeated name is a second stage. Each is one point
// of gym.server.startup_stage_duration_ms (gate: metrics) and one span (gate: span group
// `startup`). What happened before a process entered its own code comes from four environment
// variables, by which supervisor, launch shell, server and workers meet, in any language:
//
//     NEMO_GYM_STARTUP_SPAWN_NS       supervisor: wall-clock ns of the spawn
//     NEMO_GYM_STARTUP_SETUP_DONE_NS  launch shell: `gymtel emit startup-stamp setup-done`
//     NEMO_GYM_STARTUP_SERVE_NS       main process of a multi-worker server, before the hand-off
//     NEMO_GYM_STARTUP_TRACEPARENT    supervisor, while the span group is on
//
// Nothing here throws or fails the server it observes. Source: the startup page of NVIDIA NeMo Gym;
// docs/startup.md has the rules. All may be called from any thread.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry {

namespace detail {
class server_timeline;
class supervisor_timeline;
}  // namespace detail

inline constexpr std::string_view startup_spawn_variable = "NEMO_GYM_STARTUP_SPAWN_NS";
inline constexpr std::string_view startup_setup_done_variable = "NEMO_GYM_STARTUP_SETUP_DONE_NS";
inline constexpr std::string_view startup_serve_variable = "NEMO_GYM_STARTUP_SERVE_NS";
inline constexpr std::string_view startup_traceparent_variable = "NEMO_GYM_STARTUP_TRACEPARENT";

// Stages with names of their own; all others are the server's to name.
namespace startup_stages {
inline constexpr std::string_view venv_setup = "venv_setup";
inline constexpr std::string_view interpreter_start = "interpreter_start";
inline constexpr std::string_view worker_start = "worker_start";
inline constexpr std::string_view uvicorn_startup = "uvicorn_startup";  // the last one
}  // namespace startup_stages

// Names and values to add to an environment. Returned rather than set, since setenv is unsafe once
// threads run.
using environment_variables = std::vector<std::pair<std::string, std::string>>;

struct startup_stage {
    std::string name;
    // On the steady clock (CLOCK_MONOTONIC), those before the process's entry carried back from it.
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;

    double duration_ms() const noexcept {
        return static_cast<double>(end_ns - start_ns) / 1'000'000;
    }
};

// The bare timeline that the others are made of: stages one after the other, without gaps, none of
// them negative. One thread at a time.
class stage_timeline {
public:
    explicit stage_timeline(std::int64_t start_ns) noexcept
        : start_ns_(start_ns), end_ns_(start_ns) {}
    // Closes the stage that began at the last mark, now or then. Throws bad_alloc.
    GYM_TELEMETRY_API void mark(std::string_view stage);
    GYM_TELEMETRY_API void mark_at(std::string_view stage, std::int64_t end_ns);

    const std::vector<startup_stage>& stages() const noexcept { return stages_; }
    std::int64_t start_ns() const noexcept { return start_ns_; }
    std::int64_t end_ns() const noexcept { return end_ns_; }

private:
    std::int64_t start_ns_;
    std::int64_t end_ns_;
    std::vector<startup_stage> stages_;
};

struct server_startup_options {
    std::string server_name{};
    std::string server_type{};  // empty: unknown
    bool worker = false;        // a worker of a multi-worker server
    bool enabled = true;        // false: records, reports and stamps nothing
};

// A server's own startup, or a worker's. It is made where the process enters its own code, before
// telemetry is initialised; gates are asked at the report.
class GYM_TELEMETRY_API server_startup {
public:
    explicit server_startup(server_startup_options options) noexcept;
    ~server_startup();
    server_startup(server_startup&&) noexcept;
    server_startup& operator=(server_startup&&) noexcept;

    // For a server that learns its name from its configuration.
    void name_server(std::string_view server_name, std::string_view server_type = {}) noexcept;
    void mark(std::string_view stage) noexcept;
    // Connections are accepted: ends the last stage, `uvicorn_startup`, and reports.
    void serving() noexcept;
    // Without that stage. The first report that finds telemetry exporting is the only one.
    void report() noexcept;

    // The main process of a multi-worker server is about to hand off: what its workers must find in
    // their environment. Empty while telemetry is off.
    environment_variables announce_serve();

    std::vector<startup_stage> stages() const;

private:
    std::unique_ptr<detail::server_timeline> timeline_;
};

// The startup of a supervisor and, as it sees it, of the servers that it spawns. Spans only.
class GYM_TELEMETRY_API supervisor_startup {
public:
    explicit supervisor_startup(bool enabled = true) noexcept;
    ~supervisor_startup();
    supervisor_startup(supervisor_startup&&) noexcept;
    supervisor_startup& operator=(supervisor_startup&&) noexcept;

    // Begins the root span `gym.startup`, from when this object was made, if the span group is on.
    // Without it there are no spans and no traceparent.
    void begin_trace() noexcept;
    // A stage of its own, the span `gym.startup.<stage>`.
    void mark(std::string_view stage) noexcept;
    // A server is spawned now: what it must find in its environment, beside child_environment().
    // Empty while telemetry is off.
    environment_variables server_environment(std::string_view server_name,
                                             std::string_view server_type = {});
    // It answered ready. The first answer ends its span `gym.startup.server`; later ones, and those
    // of servers that nobody spawned, change nothing.
    void server_ready(std::string_view server_name) noexcept;
    // Ends the root span. What comes after it is ignored.
    void finish() noexcept;

    std::vector<startup_stage> stages() const;

private:
    std::unique_ptr<detail::supervisor_timeline> timeline_;
};

}  // namespace gym::telemetry
