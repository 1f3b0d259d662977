// SPDX-License-Identifier: Apache-2.0
//
// What the report keeps of each row, and what it adds up over all of them. Rows of different files
// and tasks meet only at the end, so a record is kept small: about 150 bytes, and its findings.
#pragma once

#include "health/check_registry.hpp"
#include "health/row_evaluation.hpp"
#include "health/row_identity.hpp"
#include "health/text_arena.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

struct report_record {
    row_identity identity;
    std::string_view findings;  // JSON objects, comma-separated
    std::string_view environment;
    std::uint64_t successful_calls = 0;
    std::uint64_t duplicate_count = 0;  // records of this identity when there are several
    rollout_verdict verdict = rollout_verdict::unobserved;
    check_set unobserved;
    check_set flagged;
    bool policy_calls_observed = false;
};

// Sums over rows; adding two in any order gives the same.
struct report_totals {
    std::uint64_t records = 0;
    std::uint64_t captures = 0;
    std::array<std::uint64_t, check_count> unobserved{};
    std::array<std::uint64_t, check_count> findings{};
    std::array<std::uint64_t, check_count> flagged{};  // rollouts with a finding
    std::uint64_t call_errors = 0;
    std::map<std::string, std::uint64_t, std::less<>> errors_by_status;
    std::uint64_t rollouts_with_errors = 0;
    std::uint64_t ended_on_error = 0;
    std::uint64_t replayed_calls = 0;
    std::uint64_t rollouts_with_replays = 0;
    wide_integer prompt = 0;
    wide_integer completion = 0;
    wide_integer capture_prompt = 0;
    wide_integer capture_completion = 0;
    bool beyond_64_bits = false;

    void add(const row_evaluation& row);
    void add(const report_totals& other);
};

// The rows of one block of lines.
struct record_batch {
    std::vector<report_record> records;
    report_totals totals;
    text_arena texts;
    std::string fault;  // why the report cannot be written, if so
};

report_record make_record(const row_identity& identity, const row_evaluation& row,
                          std::string_view environment, text_arena& arena);

}  // namespace gym::telemetry::health
