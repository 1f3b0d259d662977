// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

TEST(Clock, SteadyIsTheSteadyClockOfTheStandardLibrary) {
    const auto standard_ns = [] {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    };
    const std::int64_t before_ns = standard_ns();
    const std::int64_t now_ns = steady_now_ns();
    EXPECT_LE(before_ns, now_ns);
    EXPECT_LE(now_ns, standard_ns());
}

TEST(Clock, WallIsCloseToTheSystemClock) {
    const std::int64_t system_ns =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    EXPECT_LT(std::abs(wall_now_ns() - system_ns), 5'000'000'000);
}

TEST(Clock, WallGoesOnWhenTheSystemClockIsSetBack) {
    manual_clock clock(1'000, 500'000);
    EXPECT_EQ(wall_now_ns(), 500'000);
    clock.step_wall_ns(-400'000);
    EXPECT_EQ(wall_now_ns(), 500'000);
    clock.advance_ns(7);
    EXPECT_EQ(wall_now_ns(), 500'007);
    EXPECT_EQ(steady_now_ns(), 1'007);
}

TEST(Clock, WallIgnoresAStepForwardToo) {
    manual_clock clock(0, 500'000);
    EXPECT_EQ(wall_now_ns(), 500'000);
    clock.step_wall_ns(3'600'000'000'000);
    EXPECT_EQ(wall_now_ns(), 500'000);
}

TEST(Clock, AManualClockGivesTheSystemsBackAtItsEnd) {
    const std::int64_t before_ns = steady_now_ns();
    {
        const manual_clock clock(42, 43);
        EXPECT_EQ(steady_now_ns(), 42);
    }
    EXPECT_GE(steady_now_ns(), before_ns);
}

TEST(Clock, FirstReadersAgreeConcurrentSafe) {
    const manual_clock clock(10, 1'000);
    std::vector<std::int64_t> seen_ns(8);
    {
        std::vector<std::jthread> readers;
        readers.reserve(seen_ns.size());
        for (std::int64_t& slot : seen_ns) {
            readers.emplace_back([&slot] { slot = wall_now_ns(); });
        }
    }
    EXPECT_THAT(seen_ns, testing::Each(1'000));
}

}  // namespace
}  // namespace gym::telemetry::detail
