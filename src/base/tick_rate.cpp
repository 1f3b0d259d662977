// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/stopwatch.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gym::telemetry::detail {

std::atomic<double> tick_ms{0};

namespace {

// Reading both clocks is off by 0.1 us at most, which is 2 millionths of this.
constexpr std::int64_t long_enough_ns = 50'000'000;

bool ticks_are_constant() noexcept {
#if defined(__x86_64__)
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    // Advanced power management, EDX bit 8: the counter runs at one rate in all states.
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 8 & 1) != 0;
#else
    return false;
#endif
}

struct reading {
    std::int64_t steady_ns;
    std::uint64_t ticks;
};

// The steady clock between two readings of the counter that lie close together: a thread may be
// stopped between any two, and the rate would be off for good.
bool read_both(reading& to) noexcept {
    constexpr std::uint64_t close_ticks = 2000;
    for (int tries = 0; tries < 10; ++tries) {
        const std::uint64_t before = read_ticks();
        to.steady_ns = read_steady_ns();
        const std::uint64_t after = read_ticks();
        to.ticks = before + (after - before) / 2;
        if (after - before < close_ticks) return true;
    }
    return false;
}

}  // namespace

void observe_tick_rate(std::int64_t steady_ns) noexcept {
    static const bool usable = ticks_are_constant();
    if (!usable) return;
    static reading first{};
    static const bool begun = read_both(first);
    if (!begun || steady_ns - first.steady_ns < long_enough_ns) return;
    reading now{};
    if (!read_both(now) || now.ticks <= first.ticks) return;
    const double ms = static_cast<double>(now.steady_ns - first.steady_ns) * 1e-6 /
                      static_cast<double>(now.ticks - first.ticks);
    // Relaxed: a stopwatch keeps the rate that it started with. Threads that come here at the same
    // time store rates that are the same but for the error of reading.
    tick_ms.store(ms, std::memory_order_relaxed);
}

}  // namespace gym::telemetry::detail
