// SPDX-License-Identifier: Apache-2.0
//
// The handle: init, what is in force, flush, shutdown.
//
//     auto& telemetry = gym::telemetry::init();   // everything from the environment
//     ...
//     gym::telemetry::shutdown();                 // sends the last interval
#pragma once

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/options.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry {

// The handle of one process. The library owns it until an explicit shutdown or the process's exit;
// what `init` returns refers to it, so discarding the reference changes nothing. It stays a valid
// object for the whole life of the process.
class telemetry {
public:
    // Whether a generation is in force and has somewhere to export to.
    GYM_TELEMETRY_API bool is_exporting() const noexcept;
    // As resolved by the init in force, or by the last one.
    GYM_TELEMETRY_API settings effective_settings() const;

    telemetry(const telemetry&) = delete;
    telemetry& operator=(const telemetry&) = delete;

private:
    telemetry() = default;
    friend telemetry& get_telemetry() noexcept;
};

// Starts telemetry, unless it is disabled, misconfigured or running already. Without options all
// comes from the environment. A second call while one is in force returns the same handle and
// changes nothing; concurrent first calls initialise once; a call after a shutdown begins a new
// generation with fresh instruments. Not enabled: no thread, no socket. Problems go to the
// diagnostics handler and leave telemetry off. Any thread, but not a signal handler.
GYM_TELEMETRY_API telemetry& init(const options& block = {}) noexcept;

// The handle, whether telemetry is on or off. Any thread.
GYM_TELEMETRY_API telemetry& get_telemetry() noexcept;

// Same as get_telemetry().is_exporting(). Any thread; one load.
GYM_TELEMETRY_API bool is_exporting() noexcept;

// Collects and exports now and waits for the answer at most so long. True when every exporter
// answered with success, and when there is nothing to send to. Any thread.
GYM_TELEMETRY_API bool flush(
    std::chrono::milliseconds timeout = std::chrono::milliseconds(5000)) noexcept;

// Collects and exports for the last time and ends the generation: recorders are no-ops from now
// on. Waits at most `timeout`, or the configured shutdown_timeout_ms when it is negative. True
// when nothing was left unsent. Any thread; a second call does nothing.
GYM_TELEMETRY_API bool shutdown(
    std::chrono::milliseconds timeout = std::chrono::milliseconds(-1)) noexcept;

// A collection by one reader of the memory exporter (init with `.exporter = "memory"`), for tests
// and for tools. Empty when telemetry is off or there is no such reader. Any thread.
GYM_TELEMETRY_API collection collect(int reader = 0);

// What a process about to be started must find in its environment so that it agrees with this one:
// the effective settings, those that the environment sets already left out, and the run id. Nothing
// while telemetry is off. Returned rather than set, since setenv is unsafe once threads run.
GYM_TELEMETRY_API std::vector<std::pair<std::string, std::string>> child_environment();

}  // namespace gym::telemetry
