// SPDX-License-Identifier: Apache-2.0
//
// The child of a case of the driver `process`: how it is started and what it left behind.
#pragma once

#include "case_file.hpp"
#include "process_collector.hpp"
#include "process_received.hpp"
#include "process_report.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

// A process that the first one forked.
struct forked_process {
    std::int64_t forked_ns = 0;
    std::optional<std::int64_t> ended_ns;  // none: it was still there at the end
    int status = 0;
};

struct process_result {
    int pid = 0;
    int status = 0;  // of the first process, as waitpid gives it
    std::int64_t ended_ns = 0;
    int threads_max = 0;
    std::map<int, forked_process> children;
    std::vector<report_event> events;
    std::string out;
    std::string err;
    received_data received;
    std::vector<std::int64_t> attempts_ns;  // when each request arrived, read in full or not
    std::size_t requests_elsewhere = 0;

    // Events of the first process.
    std::vector<report_event> named(std::string_view name) const;
    std::optional<std::int64_t> number(std::string_view name) const;  // of the last such event
    // When the call number `index` of this name began or ended; none when it did not.
    std::optional<std::int64_t> call_ns(std::string_view edge, std::string_view fn) const;
    // The end of the first force_flush or shutdown, else of the process.
    std::int64_t first_flush_ns() const;
    std::int64_t last_call_begin_ns() const;
    std::vector<std::string> diagnostics() const;  // `cause message`
    // The highest value of a self-metric with all of these words, 0 when there was none.
    std::int64_t self_metric(const std::vector<std::string>& words) const;
};

// What the child is, and what its environment has besides telemetry's settings.
struct child_program {
    std::vector<std::string> argv;
    std::map<std::string, std::string> variables;
};

// Throws failure when the child cannot be started, or is not done in time.
process_result run_process(const case_file& c, const child_program& program,
                           std::chrono::seconds limit);

void check_process_properties(const case_file& c, const process_result& r);

}  // namespace gym::telemetry::cases
