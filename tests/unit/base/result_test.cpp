// SPDX-License-Identifier: Apache-2.0
#include "base/result.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

result<int> half(int number) {
    if (number % 2 != 0) return {errc::invalid, std::to_string(number) + " is odd"};
    return number / 2;
}

TEST(Result, HoldsAValueOrTheReason) {
    const result<int> good = half(4);
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 2);
    const result<int> bad = half(3);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.failure().code, errc::invalid);
    EXPECT_EQ(bad.failure().text, "3 is odd");
}

TEST(Result, PassesAReasonOn) {
    const auto as_text = [](int number) -> result<std::string> {
        const result<int> halved = half(number);
        if (!halved) return halved.failure();
        return std::to_string(*halved);
    };
    EXPECT_EQ(*as_text(10), "5");
    EXPECT_EQ(as_text(11).failure().text, "11 is odd");
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
    result<std::unique_ptr<int>> made = std::make_unique<int>(7);
    ASSERT_TRUE(made);
    const std::unique_ptr<int> taken = *std::move(made);
    EXPECT_EQ(*taken, 7);
}

}  // namespace
}  // namespace gym::telemetry::detail
