// SPDX-License-Identifier: Apache-2.0
#include "trace/span_groups.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gym::telemetry::detail {
namespace {

constexpr std::array<std::string_view, span_group_count> names{
    "job",   "server",     "http_client", "rollout", "verify",
    "agent", "model_call", "sandbox",     "startup",
};
static_assert(static_cast<std::size_t>(span_group::startup) + 1 == names.size());

constexpr std::uint64_t default_mask = bit_of(span_group::job) | bit_of(span_group::server) |
                                       bit_of(span_group::http_client) |
                                       bit_of(span_group::rollout);
constexpr std::uint64_t per_rollout_mask =
    bit_of(span_group::server) | bit_of(span_group::http_client) | bit_of(span_group::rollout) |
    bit_of(span_group::verify) | bit_of(span_group::agent) | bit_of(span_group::model_call);
constexpr std::uint64_t all_mask = (std::uint64_t{1} << span_group_count) - 1;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 3> presets{{
    {"default", default_mask},
    {"per_rollout", per_rollout_mask},
    {"all", all_mask},
}};

// 0 for a name that is neither.
std::uint64_t mask_of(std::string_view name) noexcept {
    for (const auto& [preset, mask] : presets) {
        if (name == preset) return mask;
    }
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? 0 : std::uint64_t{1} << (found - names.begin());
}

}  // namespace

span_group_selection parse_span_groups(std::string_view list) {
    span_group_selection selection;
    for (std::string& name : parse_list(list)) {
        const std::uint64_t mask = mask_of(to_lower(name));
        selection.mask |= mask;
        if (mask == 0) selection.unknown.push_back(std::move(name));
    }
    return selection;
}

std::string_view name_of(span_group group) noexcept {
    return names[static_cast<std::size_t>(group)];
}

}  // namespace gym::telemetry::detail
