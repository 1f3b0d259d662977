// SPDX-License-Identifier: Apache-2.0
//
// What becomes of attribute values before they identify a series. Source: the API page, and
// docs/instruments.md for the two rules that are ours (1,024 bytes; names of classes and types).
#pragma once

#include "engine/series_table.hpp"

#include <array>
#include <string_view>

namespace gym::telemetry::instruments {

// Failure kinds that NeMo Gym registers.
inline constexpr std::array<std::string_view, 22> registered_failure_kinds = {
    "transport_unreachable",
    "transport_peer_drop",
    "transport_timeout",
    "transport_local_resource",
    "agent_run_error",
    "agent_request_failed",
    "agent_timeout",
    "agent_command_not_allowed",
    "judge_failed",
    "judge_unparseable",
    "verifier_error",
    "provider_unavailable",
    "provider_quota_exhausted",
    "provider_oom_killed",
    "session_lost",
    "session_expired",
    "session_release_failed",
    "cancelled",
    "kill_shaped",
    "shutdown",
    "persistence_failed",
    "cohort_incomplete"};

// The value of nemo.gym.failure_kind that is recorded for a kind: itself when it is registered or
// has the form [a-z][a-z0-9_]*:[a-z][a-z0-9_]*, else `unregistered`; empty (left out) when empty.
std::string_view failure_kind_label(std::string_view kind) noexcept;

// The value that is recorded for a failure class or type: itself when it is a name of at most 128
// bytes without white space or control characters, else `unregistered`; empty when empty.
std::string_view name_label(std::string_view name) noexcept;

// Whether a text is [a-z][a-z0-9_]*, the form of a health check id.
bool is_identifier(std::string_view text) noexcept;

// The range of a reward that is not NaN.
std::string_view reward_range(double reward) noexcept;

// engine::normalize_values by the rows' rules.
void normalize(const engine::instrument_row& row, const std::string_view* values,
               engine::normalized_values& to) noexcept;

}  // namespace gym::telemetry::instruments
