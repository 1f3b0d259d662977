// SPDX-License-Identifier: Apache-2.0
//
// From records to the report: duplicates, the repeats of each task, the two checks on tasks.
#pragma once

#include "health/check_registry.hpp"
#include "health/report_record.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gym::telemetry::health {

using verdict_counts = std::array<std::uint64_t, 3>;  // by rollout_verdict

struct task_report {
    row_index task;
    std::uint64_t repeats = 0;
    verdict_counts verdicts{};
    check_set flags{};
};

struct coverage_counts {
    std::uint64_t evaluated = 0;
    std::uint64_t unobserved = 0;
    std::uint64_t ignored = 0;
};

struct reduced_report {
    check_set ignored;
    report_totals totals;
    std::vector<report_record*> records;  // sorted by task, rollout and stage
    verdict_counts verdicts{};
    std::vector<task_report> tasks;  // integers first, each sorted as text
    std::array<coverage_counts, check_count> coverage{};
};

// Marks duplicates in the records, which must outlive the report.
reduced_report reduce(std::vector<record_batch>& batches, check_set ignored);

}  // namespace gym::telemetry::health
