// SPDX-License-Identifier: Apache-2.0
//
// What a child of the driver `process` notes while it plays its calls, and how the driver reads it:
// a file of lines, to which all processes of the case append.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

// Names of the variables by which the driver tells the child.
inline constexpr const char* case_variable = "GYM_CASES_CASE";      // file with the case's line
inline constexpr const char* report_variable = "GYM_CASES_REPORT";  // file to append to
inline constexpr const char* shared_variable = "GYM_CASES_SHARED";  // file with shared_words

// Memory that the driver and its children share.
struct shared_words {
    std::int64_t wall_step_ns;  // how far the wall clock was set; accessed atomically
};

struct report_event {
    int pid = 0;
    std::int64_t at_ns = 0;  // CLOCK_MONOTONIC
    std::string name;        // begin, end, fork, reaped, diagnostic, threads, ...
    std::string text;
};

// Appends one event of this process. Does nothing when there is no report.
void report(std::string_view name, std::string_view text = {});
void report(std::string_view name, std::int64_t number);

std::vector<report_event> read_report(const std::string& path);

std::int64_t monotonic_ns();

}  // namespace gym::telemetry::cases
