// SPDX-License-Identifier: Apache-2.0
//
// The calls of a case of the driver `process`, played in the child program.
#pragma once

#include "case_file.hpp"
#include "connect_counter.hpp"

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gym::telemetry::cases {

class child_play {
public:
    // Plays them in this thread. Calls that end the process do not return.
    void play(const std::vector<call>& calls);

private:
    void play(const call& f);
    bool play_telemetry(const call& f);
    bool play_process(const call& f);
    bool play_end(const call& f);

    void from_threads(const call& f);
    void fork_and_play(const std::vector<call>& calls);
    void wait_for(pid_t child);

    std::vector<pid_t> children_;
    std::shared_ptr<connect_counter> counter_ = std::make_shared<connect_counter>();
    bool in_child_ = false;
};

// Calls that load the plug-in; false when it is another one.
bool play_plugin(const call& f);

// So many threads that record until the process ends.
void record_forever(std::int64_t threads, const std::string& provider);
// From now on a static object's destructor records.
void arm_static_object();

// Self-metrics as a reader in memory sees them now, into the report.
void report_self_metrics();

}  // namespace gym::telemetry::cases
