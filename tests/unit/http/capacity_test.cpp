// SPDX-License-Identifier: Apache-2.0
#include "http/capacity.hpp"

namespace gym::telemetry::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> subjects(const capacity_question& question) {
    std::vector<std::string> names;
    const auto plan = plan_capacity(question);
    if (!plan) return {"error: " + plan.failure().text};
    for (const capacity_warning& each : plan->warnings) names.push_back(each.subject);
    return names;
}

TEST(Capacity, LimitsAreDividedAndRoundedDown) {
    const auto plan = plan_capacity({.limits = {.total = 11, .per_host = 7}, .workers = 3});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->limits.total, 3);
    EXPECT_EQ(plan->limits.per_host, 2);
}

TEST(Capacity, ZeroStaysUnlimited) {
    const auto plan = plan_capacity({.limits = {.total = 0, .per_host = 0}, .workers = 64});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->limits.total, 0);
    EXPECT_EQ(plan->limits.per_host, 0);
}

TEST(Capacity, LimitThatLeavesNothingIsAnErrorThatNamesTheNumbers) {
    const auto total = plan_capacity({.limits = {.total = 3, .per_host = 0}, .workers = 4});
    ASSERT_FALSE(total);
    EXPECT_THAT(total.failure().text, AllOf(HasSubstr("limit 3"), HasSubstr("4 workers")));
    const auto host = plan_capacity({.limits = {.total = 8, .per_host = 1}, .workers = 4});
    ASSERT_FALSE(host);
    EXPECT_THAT(host.failure().text, HasSubstr("limit_per_host 1"));
    EXPECT_TRUE(plan_capacity({.limits = {.total = 4, .per_host = 4}, .workers = 4}));
}

TEST(Capacity, WhatIsNoNumberOfAnythingIsAnError) {
    EXPECT_FALSE(plan_capacity({.limits = {.total = -1, .per_host = 0}}));
    EXPECT_FALSE(plan_capacity({.limits = {.total = 0, .per_host = -1}}));
    EXPECT_FALSE(plan_capacity({.workers = 0}));
    EXPECT_FALSE(plan_capacity({.intended = -5}));
}

TEST(Capacity, IntendedIsRoundedUpAndComparedWithTheShare) {
    // 10 over 3 workers is 4 each; the limit of 11 leaves 3 each.
    EXPECT_THAT(subjects({.limits = {.total = 11}, .workers = 3, .intended = 10}),
                ElementsAre("total"));
    EXPECT_THAT(subjects({.limits = {.total = 12}, .workers = 3, .intended = 10}), IsEmpty());
}

TEST(Capacity, PerHostIsComparedWithTheSmallestLimitThatIsOne) {
    const auto with = [](std::int64_t total, std::int64_t per_host) {
        return subjects({.limits = {.total = total, .per_host = per_host}, .intended_per_host = 5});
    };
    EXPECT_THAT(with(4, 9), ElementsAre("per_host"));
    EXPECT_THAT(with(9, 4), ElementsAre("per_host"));
    EXPECT_THAT(with(0, 4), ElementsAre("per_host"));
    EXPECT_THAT(with(4, 0), ElementsAre("per_host"));
    EXPECT_THAT(with(0, 0), IsEmpty());
    EXPECT_THAT(with(5, 5), IsEmpty());
}

TEST(Capacity, DescriptorsAreReachedWhenNoneIsLeft) {
    EXPECT_THAT(subjects({.intended = 1024, .descriptors = 1024}), ElementsAre("descriptors"));
    EXPECT_THAT(subjects({.intended = 1023, .descriptors = 1024}), IsEmpty());
    EXPECT_THAT(subjects({.workers = 2, .intended = 2046, .descriptors = 1024}), IsEmpty());
}

TEST(Capacity, PortsAreSharedByAllWorkers) {
    EXPECT_THAT(subjects({.workers = 4, .intended_per_host = 28233, .ephemeral_ports = 28232}),
                ElementsAre("ports"));
    EXPECT_THAT(subjects({.workers = 4, .intended_per_host = 28232, .ephemeral_ports = 28232}),
                IsEmpty());
}

TEST(Capacity, EachWarningNamesItsNumbers) {
    const auto plan = plan_capacity({.limits = {.total = 100, .per_host = 50},
                                     .workers = 1,
                                     .intended = 2000,
                                     .intended_per_host = 1500,
                                     .descriptors = 1024,
                                     .ephemeral_ports = 1000});
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->warnings.size(), 4u);
    EXPECT_THAT(plan->warnings[0].text, AllOf(HasSubstr("2000"), HasSubstr("100")));
    EXPECT_THAT(plan->warnings[1].text, AllOf(HasSubstr("1500"), HasSubstr("50")));
    EXPECT_THAT(plan->warnings[2].text, AllOf(HasSubstr("2000"), HasSubstr("1024")));
    EXPECT_THAT(plan->warnings[3].text, AllOf(HasSubstr("1500"), HasSubstr("1000")));
}

TEST(Capacity, MachineIsMeasured) {
    capacity_question question;
    measure_capacity(question);
    EXPECT_GT(question.ephemeral_ports, 0);
    EXPECT_LT(question.ephemeral_ports, 65536);
}

}  // namespace
}  // namespace gym::telemetry::http
