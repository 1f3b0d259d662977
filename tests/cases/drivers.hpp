// SPDX-License-Identifier: Apache-2.0
//
// The drivers: each plays one case in the calling process and throws failure or skip.
#pragma once

#include "case_file.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace gym::telemetry::cases {

struct driver_entry {
    std::string_view name;
    void (*play)(const case_file&);
    std::chrono::seconds limit;
    // How many of its cases are played at a time: more than one where a case mostly waits for
    // another process, one where time and memory of this one are measured.
    std::size_t at_a_time = 1;
};

// Null when this program does not play the driver.
const driver_entry* find_driver(std::string_view name);

void play_inproc(const case_file& c);
void play_unit(const case_file& c);
void play_config(const case_file& c);
void play_rollout_row(const case_file& c);
void play_pool(const case_file& c);
void play_cli(const case_file& c);
void play_sandbox_wrapper(const case_file& c);
void play_timeline(const case_file& c);
void play_health(const case_file& c);
void play_process(const case_file& c);
void play_python(const case_file& c);

}  // namespace gym::telemetry::cases
