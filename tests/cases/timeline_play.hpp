// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.hpp"
#include "case_file.hpp"
#include "case_telemetry.hpp"

#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gym::telemetry::cases {

// The state of one case of the driver `timeline` while it is played.
class timeline_play {
public:
    explicit timeline_play(const case_file& played);
    ~timeline_play();
    timeline_play(const timeline_play&) = delete;
    timeline_play& operator=(const timeline_play&) = delete;

    void play(const call& f);
    // Points into the observations, finished spans to `spans`.
    void collect_all();
    // Of the last timeline that was made.
    std::vector<startup_stage> stages() const;

    const case_file& c;
    std::optional<case_telemetry> telemetry;
    std::vector<finished_span> spans;
    std::map<std::string, std::string> variables;           // set by the case or its calls
    std::map<std::string, std::string> server_environment;  // of the last server_env
    std::int64_t wall_before_ns = 0;                        // of the last call
    std::int64_t wall_after_ns = 0;

private:
    bool play_server(const call& f);
    bool play_supervisor(const call& f);
    void set_variable(const std::string& name, const std::string& value);
    void pass_time();
    void step_wall_clock();
    void check_nothing_yet();

    std::optional<detail::manual_clock> clock_;
    bool has_stepped_ = false;
    bool is_armed_ = false;
    std::optional<server_startup> server_;
    std::optional<stage_timeline> bare_;
    std::optional<supervisor_startup> supervisor_;
};

// Everything of `expect` that is about stages, spans and environments.
void check_timeline(const case_file& c, timeline_play& played);

}  // namespace gym::telemetry::cases
