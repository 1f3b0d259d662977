// SPDX-License-Identifier: Apache-2.0
//
// One moment on both clocks. Times of a timeline are taken from the steady clock; spans and stamps
// need the wall clock's, which follow from the moment at which the timeline began.
#pragma once

#include "base/clock.hpp"

#include <cstdint>

namespace gym::telemetry::detail {

struct clock_anchor {
    std::int64_t steady_ns = steady_now_ns();
    std::int64_t wall_ns = system_wall_ns();  // what other processes' stamps are compared with

    std::int64_t to_wall(std::int64_t at_steady_ns) const noexcept {
        return wall_ns + (at_steady_ns - steady_ns);
    }
    std::int64_t to_steady(std::int64_t at_wall_ns) const noexcept {
        return steady_ns + (at_wall_ns - wall_ns);
    }
};

}  // namespace gym::telemetry::detail
