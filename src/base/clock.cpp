// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <ctime>

namespace gym::telemetry::detail {
namespace {

std::int64_t read_clock_ns(clockid_t id) noexcept {
    timespec now{};
    clock_gettime(id, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

constexpr clock_source system_source{
    [](void*) noexcept { return read_clock_ns(CLOCK_MONOTONIC); },
    [](void*) noexcept { return read_clock_ns(CLOCK_REALTIME); },
    nullptr,
};

// Acquire and release: whoever sees a test's source also sees what it points to.
constinit std::atomic<const clock_source*> source_in_force{&system_source};

// Wall less steady time; `unanchored` until the first reader has set it.
constexpr std::int64_t unanchored = INT64_MIN;
constinit std::atomic<std::int64_t> wall_offset_ns{unanchored};

const clock_source& source() noexcept {
    return *source_in_force.load(std::memory_order_acquire);
}

std::int64_t anchor_wall(const clock_source& clock, std::int64_t steady_ns) noexcept {
    std::int64_t offset_ns = clock.wall_ns(clock.context) - steady_ns;
    std::int64_t expected = unanchored;
    // Relaxed: the number is all there is. Of several first readers one anchors for all.
    if (wall_offset_ns.compare_exchange_strong(expected, offset_ns, std::memory_order_relaxed)) {
        return offset_ns;
    }
    return expected;
}

}  // namespace

std::int64_t steady_now_ns() noexcept {
    const clock_source& clock = source();
    return clock.steady_ns(clock.context);
}

std::int64_t wall_now_ns() noexcept {
    const clock_source& clock = source();
    const std::int64_t steady_ns = clock.steady_ns(clock.context);
    std::int64_t offset_ns = wall_offset_ns.load(std::memory_order_relaxed);
    if (offset_ns == unanchored) offset_ns = anchor_wall(clock, steady_ns);
    return steady_ns + offset_ns;
}

std::int64_t system_wall_ns() noexcept {
    const clock_source& clock = source();
    return clock.wall_ns(clock.context);
}

void set_clock_source(const clock_source* replacement) noexcept {
    source_in_force.store(replacement != nullptr ? replacement : &system_source,
                          std::memory_order_release);
    wall_offset_ns.store(unanchored, std::memory_order_relaxed);
}

manual_clock::manual_clock(std::int64_t steady_ns, std::int64_t wall_ns) noexcept
    : steady_ns_(steady_ns),
      wall_ns_(wall_ns),
      source_{
          [](void* self) noexcept {
              return static_cast<manual_clock*>(self)->steady_ns_.load(std::memory_order_relaxed);
          },
          [](void* self) noexcept {
              return static_cast<manual_clock*>(self)->wall_ns_.load(std::memory_order_relaxed);
          },
          this,
      } {
    set_clock_source(&source_);
}

manual_clock::~manual_clock() {
    set_clock_source(nullptr);
}

void manual_clock::advance_ns(std::int64_t by_ns) noexcept {
    steady_ns_.fetch_add(by_ns, std::memory_order_relaxed);
    wall_ns_.fetch_add(by_ns, std::memory_order_relaxed);
}

void manual_clock::step_wall_ns(std::int64_t by_ns) noexcept {
    wall_ns_.fetch_add(by_ns, std::memory_order_relaxed);
}

}  // namespace gym::telemetry::detail
