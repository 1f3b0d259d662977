// SPDX-License-Identifier: Apache-2.0
//
// The checks, in registry order, which is the order of all lists. The order and what each check
// reads are those of NeMo Gym 0.7.0.
#pragma once

#include <gym/telemetry/health.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

enum class check_id : std::uint8_t {
    check_execution_error,
    record_unreadable,
    rollout_duplicate_identity,
    rollout_missing_agent_turns,
    rollout_ended_on_failed_model_call,
    agent_turn_hollow,
    model_call_zero_completion_tokens,
    model_call_missing_token_counts,
    trajectory_capture_mismatch,
    model_call_failed,
    rollout_token_count_mismatch,
    model_call_runaway_generation,
    task_consistently_unhealthy,
    task_no_successful_model_calls,
};

inline constexpr std::size_t check_count = health_check_ids.size();
// The first twelve are about one rollout, the last two about the repeats of a task.
inline constexpr std::size_t rollout_check_count = 12;

// What must be observed for a check to run.
enum class check_reads : std::uint8_t {
    row,
    turns,
    all_calls,   // as captured, referenced or not
    turn_view,   // calls that turns refer to
    owned_view,  // calls that turns or invocations refer to
};

inline constexpr std::array<check_reads, rollout_check_count> reads_of_check{
    check_reads::row,        check_reads::row,        check_reads::row,
    check_reads::turns,      check_reads::all_calls,  check_reads::turns,
    check_reads::owned_view, check_reads::owned_view, check_reads::owned_view,
    check_reads::owned_view, check_reads::turn_view,  check_reads::owned_view};

inline std::string_view name_of(check_id check) {
    return health_check_ids[static_cast<std::size_t>(check)];
}

// A set of checks, one bit each.
class check_set {
public:
    void add(check_id check) { bits_ |= bit(check); }
    bool has(check_id check) const { return (bits_ & bit(check)) != 0; }
    bool empty() const { return bits_ == 0; }
    void clear() { bits_ = 0; }
    friend bool operator==(const check_set&, const check_set&) = default;

private:
    static std::uint16_t bit(check_id check) {
        return static_cast<std::uint16_t>(1U << static_cast<unsigned>(check));
    }
    std::uint16_t bits_ = 0;
};

struct parsed_ignored_checks {
    check_set checks;
    std::vector<std::string> unknown;  // sorted, each once
};

// Each entry may be a comma-separated text; ids are trimmed and empty ones dropped.
parsed_ignored_checks parse_ignored_checks(const std::vector<std::string>& entries);

}  // namespace gym::telemetry::health
