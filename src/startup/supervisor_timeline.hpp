// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "startup/anchor.hpp"

#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::detail {

// What supervisor_startup does. What it cannot allocate throws.
class supervisor_timeline {
public:
    explicit supervisor_timeline(bool enabled) : enabled_(enabled), timeline_(entry_.steady_ns) {}

    void begin_trace();
    void mark(std::string_view stage);
    environment_variables spawn(std::string_view name, std::string_view type);
    void server_ready(std::string_view name);
    void finish();
    std::vector<startup_stage> stages() const;

private:
    // A server that was spawned and has not answered yet.
    struct waiting_server {
        std::string type;
        clock_anchor spawned;
        span_context context;
    };

    void trace_server(std::string_view name, std::string_view type, const clock_anchor& now,
                      environment_variables& variables);

    mutable std::mutex mutex_;
    const clock_anchor entry_;
    bool enabled_;
    stage_timeline timeline_;
    span_context root_;  // not valid: no spans
    std::map<std::string, waiting_server, std::less<>> waiting_;
};

}  // namespace gym::telemetry::detail
