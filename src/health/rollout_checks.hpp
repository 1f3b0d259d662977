// SPDX-License-Identifier: Apache-2.0
//
// The checks themselves. Each is run only where what it reads is observed, and then says what it
// found, or which exception it meets in the original: there a check that raises is itself a
// finding, so that faults of odd rows are the same faults here.
#pragma once

#include "health/call_views.hpp"
#include "health/check_registry.hpp"
#include "health/content.hpp"
#include "health/row_evaluation.hpp"
#include "health/trajectory.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gym::telemetry::health {

class rollout_checks {
public:
    rollout_checks(const trajectory_facts& facts, const call_views& views, key_index& keys,
                   row_evaluation& result)
        : facts_(facts), views_(views), keys_(keys), result_(result) {}

    // Empty, or the name of the exception that the check raised; then it found nothing.
    std::string_view run(check_id check);

private:
    std::string_view missing_agent_turns();
    std::string_view turn_hollow();
    void ended_on_failed_model_call();
    void zero_completion_tokens();
    void missing_token_counts();
    void capture_mismatch();
    void failed_calls();
    void token_count_mismatch();
    std::string_view runaway_generation();

    void add(check_id check, std::string locator, std::string detail);
    std::string locator_of(std::uint32_t position) const;
    std::string status_of(const model_call& call);

    const trajectory_facts& facts_;
    const call_views& views_;
    key_index& keys_;
    row_evaluation& result_;
};

row_finding execution_error(check_id check, std::string_view exception);

// Whether the call stopped because it had no more tokens to write.
bool ran_to_its_limit(const model_call& call);

// What a gap that contradicts the references says of them; empty for other gaps.
std::string_view contradiction_kind(std::string_view gap_code);

bool ended_on_failed_call(const trajectory_facts& facts, key_index& keys);

// Calls beyond the first of one identity: id, else model and response id, else response id.
std::uint64_t count_replayed_calls(const trajectory_facts& facts, key_index& keys);

}  // namespace gym::telemetry::health
