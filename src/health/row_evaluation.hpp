// SPDX-License-Identifier: Apache-2.0
//
// The rollout checks on one row.
#pragma once

#include "health/call_views.hpp"
#include "health/check_registry.hpp"
#include "health/json_value.hpp"
#include "health/trajectory.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

enum class rollout_verdict : std::uint8_t { healthy, unhealthy, unobserved };
std::string_view name_of(rollout_verdict verdict);

// Token counts of the row's own usage.
struct usage_tokens {
    std::optional<wide_integer> prompt;
    std::optional<wide_integer> completion;

    bool present() const { return prompt && completion; }
};

// Fields of the row that are looked at; false where absent.
struct row_fields {
    json_value task_index;
    json_value rollout_index;
    json_value stage_index;
    json_value rollout_id;
    json_value trajectory;
    json_value response;
    json_value agent_ref;
    json_value environment_server;
};

struct row_finding {
    check_id check;
    std::string locator;  // JSON, or empty
    std::string detail;   // JSON
};

// Everything the report keeps or adds up of one row.
struct row_evaluation {
    rollout_verdict verdict = rollout_verdict::unobserved;
    check_set unobserved;
    std::vector<row_finding> findings;

    bool has_calls = false;
    bool policy_calls_observed = false;
    bool ended_on_error = false;
    bool beyond_64_bits = false;  // a finding holds an integer that cannot be written
    std::uint64_t successful_calls = 0;
    std::uint64_t replayed_calls = 0;
    std::vector<std::optional<wide_integer>> failed_statuses;  // of each failed call
    usage_tokens usage;
    wide_integer capture_prompt = 0;
    wide_integer capture_completion = 0;

    void clear();
    void conclude();  // sets the verdict from findings and unobserved checks
};

// Evaluates rows one after another. Not thread-safe: one a thread.
class row_evaluator {
public:
    explicit row_evaluator(check_set ignored = {}) : ignored_(ignored) {}
    void ignore(check_set checks) { ignored_ = checks; }

    // What the row's fields are; the row must be an object.
    static row_fields fields_of(json_value row);

    const row_evaluation& evaluate(const row_fields& row);
    // Of a line that is no JSON object. The locator names it.
    const row_evaluation& evaluate_unreadable(std::string_view locator, std::string_view error);

private:
    void read_trajectory(json_value trajectory);
    void run_checks();
    bool observed(check_id check) const;
    bool view_observed(check_id check, const call_view& view) const;
    bool gap(std::string_view code) const;
    void gather_statistics();
    void note_hidden();

    check_set ignored_;
    trajectory_reader reader_;
    call_views views_;
    key_index keys_;
    row_evaluation result_;

    // Of the row at hand.
    trajectory_error error_ = trajectory_error::none;
    bool trajectory_observed_ = false;
    bool turns_observed_ = false;
    bool calls_observed_ = false;
    bool turn_scope_complete_ = false;
    bool contradictions_ = false;
};

}  // namespace gym::telemetry::health
