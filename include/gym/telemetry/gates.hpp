// SPDX-License-Identifier: Apache-2.0
//
// Gates: what a call site asks before it does any work, so that disabled telemetry stays off its
// hot path. Each is one relaxed load and a branch. The recorders themselves have no span group.
#pragma once

#include <gym/telemetry/detail/control.hpp>

#include <cstdint>

namespace gym::telemetry {

enum class span_group : std::uint8_t {
    job,
    server,
    http_client,
    rollout,
    verify,
    agent,
    model_call,
    sandbox,
    startup,
};

inline constexpr int span_group_count = 9;

// Whether telemetry is exporting and the group is in `span_groups`. The preset `default` holds
// job, server, http_client and rollout, not sandbox. Any thread.
inline bool span_group_enabled(span_group group) noexcept {
    return (detail::control.gates.load(std::memory_order_relaxed) >> static_cast<int>(group)) & 1;
}

// Whether telemetry is exporting and metrics are on. Any thread.
inline bool metrics_enabled() noexcept {
    return detail::control.gates.load(std::memory_order_relaxed) >> 63;
}

}  // namespace gym::telemetry
