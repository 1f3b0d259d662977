// SPDX-License-Identifier: Apache-2.0
//
// Rollout health: whether a rollout can be believed. NeMo Gym 0.7.0 looks at saved rollouts after a
// run; here the same checks also run as each rollout finishes, and the verdicts become counters.
//
//     gym::telemetry::record_row_health(row_json, gym::telemetry::outcome::scored);
//
//     auto report = gym::telemetry::run_health_report({.files = {"results/rollouts.jsonl"}});
//     if (report.error.empty()) std::cout << report.text;
//
// Rules and their source: docs/health.md.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/gates.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry {

// The checks, in the order of all lists. The last two and rollout_duplicate_identity need more than
// one row and are the report's alone.
inline constexpr std::array<std::string_view, 14> health_check_ids{
    "check_execution_error",
    "record_unreadable",
    "rollout_duplicate_identity",
    "rollout_missing_agent_turns",
    "rollout_ended_on_failed_model_call",
    "agent_turn_hollow",
    "model_call_zero_completion_tokens",
    "model_call_missing_token_counts",
    "trajectory_capture_mismatch",
    "model_call_failed",
    "rollout_token_count_mismatch",
    "model_call_runaway_generation",
    "task_consistently_unhealthy",
    "task_no_successful_model_calls",
};

struct health_options {
    // Ids of checks that are not run, or comma-separated lists of them. Unknown ids mean nothing
    // here; unknown_health_checks names them.
    std::vector<std::string> ignored_checks{};
};

// The ids that are no check, sorted, each once.
GYM_TELEMETRY_API std::vector<std::string> unknown_health_checks(
    const std::vector<std::string>& ignored_checks);

struct health_finding {
    std::string_view check;  // one of health_check_ids
    std::string locator;     // where in the rollout, a JSON object; empty when there is none
    std::string detail;      // a JSON object
};

struct health_result {
    std::string_view verdict;  // gym::telemetry::verdict
    std::vector<health_finding> findings;
    std::vector<std::string_view> unobserved;  // checks that could not be evaluated

    // The checks with at least one finding, each once: what record_rollout_health is given.
    GYM_TELEMETRY_API std::vector<std::string_view> flagged_checks() const;
};

// Evaluates one result row, as live evaluation does: from the row alone. Nothing for a text that is
// no JSON object: that is no rollout. Reads a little more than the report does, as `gymtel replay`
// does: a lone surrogate counts as U+FFFD, a number beyond double as the largest of its sign.
// Thread-safe; each thread keeps a parser with buffers of about 14 times the longest row it saw.
// Cost: about 5 us for a row of 6 KB. Throws std::bad_alloc only.
GYM_TELEMETRY_API std::optional<health_result> evaluate_rollout(std::string_view row_json,
                                                                const health_options& options = {});

namespace detail {
GYM_TELEMETRY_API void row_health(std::string_view row_json, std::string_view outcome) noexcept;
}

// Evaluates the row without the checks of `health_check_ignored_checks`, and records its verdict
// and flagged checks (record_rollout_health). Nothing is recorded, and the row not looked at,
// unless the span group `rollout` is on; a text that is no JSON object records nothing. Outcomes
// are scored and failed; an omitted attempt has no verdict. Any thread. Never throws.
inline void record_row_health(std::string_view row_json, std::string_view outcome) noexcept {
    if (span_group_enabled(span_group::rollout)) [[unlikely]]
        detail::row_health(row_json, outcome);
}

struct health_report_options {
    std::vector<std::string> files{};           // in this order; one named twice is read twice
    std::string output_folder{};                // empty: that of the first file
    std::vector<std::string> ignored_checks{};  // an unknown id is an error here
    std::optional<std::uint32_t> workers{};     // threads; by default the cores, at most 8
};

struct health_report {
    // Empty when both files were written. Otherwise a sentence that names the file or the value,
    // and nothing else here means anything.
    std::string error;

    std::string summary_json;  // compact, as quality_summary.json is not
    std::string summary_path;
    std::string verdicts_path;
    std::string text;  // for people, at most 80 columns

    std::uint64_t records = 0;
    std::uint64_t healthy = 0;
    std::uint64_t unhealthy = 0;
    std::uint64_t unobserved = 0;
    std::array<std::uint64_t, health_check_ids.size()> findings{};  // by check
};

// The report over saved rows: writes quality_summary.json and rollout_verdicts.jsonl as NeMo Gym
// 0.7.0 does, byte for byte. Memory grows with the number of rows by about 250 bytes each, and with
// the findings; not with the size of the rows. Prints nothing.
GYM_TELEMETRY_API health_report run_health_report(const health_report_options& options);

}  // namespace gym::telemetry
