// SPDX-License-Identifier: Apache-2.0
//
// The two clocks that everything here reads, so that tests can set them. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace gym::telemetry::detail {

// Nanoseconds of CLOCK_MONOTONIC, the same clock for all processes of a machine.
std::int64_t steady_now_ns() noexcept;

// Nanoseconds since the epoch. The system's wall clock is read once and carried on by the steady
// clock from there, so that times never run backwards, whatever somebody sets the wall clock to:
// an interval that ends before it began would be refused by every receiver.
std::int64_t wall_now_ns() noexcept;

// The system's wall clock as it stands now, in nanoseconds since the epoch. It may step: only for
// what other processes, which have anchors of their own, compare with theirs.
std::int64_t system_wall_ns() noexcept;

// Where the two clocks come from. `wall_ns` is the system's, as it may step.
struct clock_source {
    std::int64_t (*steady_ns)(void* context) noexcept;
    std::int64_t (*wall_ns)(void* context) noexcept;
    void* context;
};

// For tests: another source, or null for the system's. The wall clock is anchored anew. The source
// must outlive every reader, since other threads may still be reading it.
void set_clock_source(const clock_source* source) noexcept;

// A clock that stands still until it is told to move; in force as long as it lives.
class manual_clock {
public:
    manual_clock(std::int64_t steady_ns, std::int64_t wall_ns) noexcept;
    ~manual_clock();
    manual_clock(const manual_clock&) = delete;
    manual_clock& operator=(const manual_clock&) = delete;

    void advance_ns(std::int64_t by_ns) noexcept;    // both clocks
    void step_wall_ns(std::int64_t by_ns) noexcept;  // as when somebody sets the system's clock

private:
    std::atomic<std::int64_t> steady_ns_;
    std::atomic<std::int64_t> wall_ns_;
    clock_source source_;
};

}  // namespace gym::telemetry::detail
