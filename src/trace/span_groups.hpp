// SPDX-License-Identifier: Apache-2.0
//
// Span groups by name. Source: NeMo Gym's configuration page.
#pragma once

#include <gym/telemetry/gates.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::detail {

// What a comma list of groups and presets asks for.
struct span_group_selection {
    std::uint64_t mask = 0;            // bit n: the span_group of that number
    std::vector<std::string> unknown;  // names that are neither a group nor a preset, in order
};

// Names in any case, blanks around them ignored. Presets: `default` is job, server, http_client and
// rollout; `per_rollout` is server, http_client, rollout, verify, agent and model_call, without the
// job so that each rollout is a trace of its own; `all` is every group.
span_group_selection parse_span_groups(std::string_view list);

std::string_view name_of(span_group group) noexcept;

constexpr std::uint64_t bit_of(span_group group) noexcept {
    return std::uint64_t{1} << static_cast<int>(group);
}

}  // namespace gym::telemetry::detail
