// SPDX-License-Identifier: Apache-2.0
//
// The health checks that there are. Source: the table of NeMo Gym's health checks.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gym::telemetry::detail {

// Checks of one rollout, live and in the report. `rollout_duplicate_identity` needs more than one
// row, so it is the report's alone.
inline constexpr std::array<std::string_view, 12> rollout_health_check_ids{
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
};

// Checks of all rollouts of a task, in the report only.
inline constexpr std::array<std::string_view, 2> task_health_check_ids{
    "task_consistently_unhealthy",
    "task_no_successful_model_calls",
};

constexpr bool is_health_check_id(std::string_view id) noexcept {
    return std::find(rollout_health_check_ids.begin(), rollout_health_check_ids.end(), id) !=
               rollout_health_check_ids.end() ||
           std::find(task_health_check_ids.begin(), task_health_check_ids.end(), id) !=
               task_health_check_ids.end();
}

}  // namespace gym::telemetry::detail
