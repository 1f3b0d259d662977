// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/environment.hpp"
#include "startup/anchor.hpp"
#include "startup/stamps.hpp"

#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <mutex>
#include <string_view>
#include <vector>

namespace gym::telemetry::detail {

// What server_startup does, over an environment that is given. What it cannot allocate throws.
class server_timeline {
public:
    server_timeline(server_startup_options options, const environment& variables);

    void name_server(std::string_view name, std::string_view type);
    void mark(std::string_view stage);
    void serving();
    void report();
    environment_variables announce_serve() const;
    std::vector<startup_stage> stages() const;

private:
    void add_stages_before_entry();
    void report_with_lock_held();
    void record_points() const;
    void finish_spans() const;

    mutable std::mutex mutex_;
    const clock_anchor entry_;
    server_startup_options options_;
    startup_stamps stamps_;
    stage_timeline timeline_;
    bool reported_ = false;
};

}  // namespace gym::telemetry::detail
