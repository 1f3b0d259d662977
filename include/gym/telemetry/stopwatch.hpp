// SPDX-License-Identifier: Apache-2.0
//
// Times a section of code for a duration recorder.
//
//     const gym::telemetry::stopwatch watch;
//     run_command();
//     exec_duration.record(watch.elapsed_ms());
//
// Two readings cost about half of two of std::chrono::steady_clock (18 against 42 ns): where the
// processor's time-stamp counter runs at a constant rate (CPUID says so), that is read, once it has
// been measured against the steady clock for 50 ms; until then, and elsewhere, the steady clock is.
// The two differ by less than 10 millionths. Any thread may read a stopwatch that another started.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gym::telemetry {

namespace detail {

// Milliseconds of one tick; 0 while ticks are not to be used.
GYM_TELEMETRY_API extern std::atomic<double> tick_ms;
// Looks at the time that has passed since the first call; measures the rate when it is enough.
GYM_TELEMETRY_API void observe_tick_rate(std::int64_t steady_ns) noexcept;

inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();  // without the header, which is 44,000 lines
#else
    return 0;
#endif
}

inline std::int64_t read_steady_ns() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace detail

class stopwatch {
public:
    stopwatch() noexcept : rate_(detail::tick_ms.load(std::memory_order_relaxed)) {
        if (rate_ != 0) [[likely]] {
            start_ = static_cast<std::int64_t>(detail::read_ticks());
        } else {
            start_ = detail::read_steady_ns();
            detail::observe_tick_rate(start_);
        }
    }

    double elapsed_ms() const noexcept {
        if (rate_ != 0) [[likely]] {
            const auto now = static_cast<std::int64_t>(detail::read_ticks());
            // Counters of two processors may differ by some ticks: never less than nothing.
            return now > start_ ? static_cast<double>(now - start_) * rate_ : 0;
        }
        return static_cast<double>(detail::read_steady_ns() - start_) * 1e-6;
    }

private:
    double rate_;
    std::int64_t start_;
};

}  // namespace gym::telemetry
