// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/stopwatch.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace gym::telemetry {
namespace {

using std::chrono::steady_clock;

double since(steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
}

void spin_ms(double ms) {
    for (const auto start = steady_clock::now(); since(start) < ms;) {
    }
}

// The stopwatch lies between two readings of the steady clock around each of its own.
void agrees_with_the_steady_clock() {
    const auto before = steady_clock::now();
    const stopwatch watch;
    const auto after = steady_clock::now();
    spin_ms(20);
    const double least = since(after);
    const double elapsed = watch.elapsed_ms();
    const double most = since(before);
    EXPECT_GE(elapsed, least * (1 - 1e-4));
    EXPECT_LE(elapsed, most * (1 + 1e-4));
}

TEST(Stopwatch, AgreesWithTheSteadyClockBeforeAndAfterItsRateIsKnown) {
    agrees_with_the_steady_clock();
    spin_ms(60);
    const stopwatch measures_the_rate;
    EXPECT_GE(measures_the_rate.elapsed_ms(), 0);
    agrees_with_the_steady_clock();
}

TEST(Stopwatch, NeverGoesBack) {
    const stopwatch watch;
    double last = 0;
    for (int i = 0; i < 1000; ++i) {
        const double now = watch.elapsed_ms();
        ASSERT_GE(now, last);
        last = now;
    }
}

}  // namespace
}  // namespace gym::telemetry
