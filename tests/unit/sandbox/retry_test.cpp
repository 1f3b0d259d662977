// SPDX-License-Identifier: Apache-2.0
#include "fake_provider.hpp"
#include "telemetry_fixture.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/sandbox.hpp>
#include <gym/telemetry/sandbox_retry.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace gym::telemetry::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class RetryTest : public TelemetryTest {
protected:
    RetryTest() {
        rules.attempts = 4;
        rules.jitter = 0;
        rules.context = &pauses;
        rules.wait = [](std::chrono::nanoseconds pause, void* to) {
            static_cast<std::vector<std::chrono::nanoseconds>*>(to)->push_back(pause);
            return true;
        };
    }
    // Fails so often, then makes a sandbox.
    auto failing(int times) {
        return [this, times]() -> std::string {
            if (++calls <= times) throw std::runtime_error("attempt " + std::to_string(calls));
            return "box";
        };
    }
    static std::map<std::string, double> retries() { return seen(sandbox_create_retry_instrument); }

    create_retries rules;
    std::vector<std::chrono::nanoseconds> pauses;
    int calls = 0;
};

TEST_F(RetryTest, CountsEachAttemptThatItRetries) {
    EXPECT_EQ(retry_sandbox_create("fake", rules, failing(2)), "box");
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(retries(), (std::map<std::string, double>{{"fake", 2}}));
    EXPECT_THAT(pauses, ElementsAre(500ms, 1000ms));
}

TEST_F(RetryTest, FirstSuccessIsNoRetry) {
    EXPECT_EQ(retry_sandbox_create("fake", rules, failing(0)), "box");
    EXPECT_THAT(retries(), IsEmpty());
}

TEST_F(RetryTest, LastAttemptIsNotRetriedAndItsErrorGoesThrough) {
    try {
        retry_sandbox_create("fake", rules, failing(9));
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "attempt 4");
    }
    EXPECT_EQ(retries(), (std::map<std::string, double>{{"fake", 3}}));
}

TEST_F(RetryTest, ErrorsThatAreNotRetryableAreNotRetried) {
    rules.is_retryable = [](const std::exception_ptr& error) { return !is_a<final_error>(error); };
    EXPECT_THROW(
        retry_sandbox_create("fake", rules, []() -> int { throw final_error("no such image"); }),
        final_error);
    EXPECT_THAT(retries(), IsEmpty());
    EXPECT_THAT(pauses, IsEmpty());
}

TEST_F(RetryTest, CancelledPauseEndsTheLoopUncounted) {
    rules.wait = [](std::chrono::nanoseconds, void*) { return false; };
    EXPECT_THROW(retry_sandbox_create("fake", rules, failing(9)), std::runtime_error);
    EXPECT_EQ(calls, 1);
    EXPECT_THAT(retries(), IsEmpty());
}

TEST_F(RetryTest, PausesGrowUpToTheLongest) {
    rules.longest_pause = 3s;
    EXPECT_EQ(create_retry_pause(rules, 2), 500ms);
    EXPECT_EQ(create_retry_pause(rules, 4), 2s);
    EXPECT_EQ(create_retry_pause(rules, 5), 3s);
    EXPECT_EQ(create_retry_pause(rules, 100'000), 3s);
}

TEST_F(RetryTest, JitterTakesItsShareOfThePause) {
    rules.jitter = 0.5;
    rules.random = [] { return 0.5; };
    EXPECT_EQ(create_retry_pause(rules, 2), 375ms);
    rules.random = detail::random_share;
    for (int i = 0; i < 100; ++i) {
        EXPECT_GE(create_retry_pause(rules, 2), 250ms);
        EXPECT_LE(create_retry_pause(rules, 2), 500ms);
    }
}

TEST_F(RetryTest, AttemptsKnowTheirNumberAndTimeout) {
    rules.attempt_timeout = 250ms;
    std::vector<int> numbers;
    const auto begin = std::chrono::steady_clock::now();
    retry_sandbox_create("fake", rules, [&](const create_attempt& attempt) {
        numbers.push_back(attempt.number);
        EXPECT_EQ(attempt.timeout, 250ms);
        EXPECT_GE(attempt.deadline, begin + 250ms);
        EXPECT_LE(attempt.deadline, std::chrono::steady_clock::now() + 250ms);
        if (attempt.number < 3) throw std::runtime_error("again");
    });
    EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
}

TEST_F(RetryTest, IsOneStartInsideAScope) {
    const auto box = start_sandbox(
        "fake", [&] { return retry_sandbox_create("fake", rules, failing(2)); }, [] {});
    EXPECT_EQ(seen(sandbox_startup_instrument), (std::map<std::string, double>{{"fake", 1}}));
    EXPECT_EQ(retries(), (std::map<std::string, double>{{"fake", 2}}));
}

TEST_F(RetryTest, GroupOffCountsNothing) {
    set_group(span_group::sandbox, false);
    retry_sandbox_create("fake", rules, failing(2));
    EXPECT_THAT(retries(), IsEmpty());
    EXPECT_EQ(said.all().size(), 1u);
}

}  // namespace
}  // namespace gym::telemetry::test
