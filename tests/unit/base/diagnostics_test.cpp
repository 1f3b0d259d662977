// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"

#include "base/clock.hpp"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::detail {
namespace {

using testing::ElementsAre;

constexpr std::int64_t second_ns = 1'000'000'000;

class DiagnosticsTest : public testing::Test {
protected:
    DiagnosticsTest() {
        set_diagnostics_handler(
            [](const diagnostic& what, void* self) {
                auto* test = static_cast<DiagnosticsTest*>(self);
                test->told_.push_back(std::string(what.cause) + ": " + std::string(what.message));
            },
            this);
    }
    ~DiagnosticsTest() override { set_diagnostics_handler(nullptr); }

    manual_clock clock_{1, 1};
    std::vector<std::string> told_;
};

TEST_F(DiagnosticsTest, HandsOverCauseAndMessage) {
    diagnose("config.value", "X is bad", "X");
    EXPECT_THAT(told_, ElementsAre("config.value: X is bad"));
}

TEST_F(DiagnosticsTest, SaysTheSameOnceAMinute) {
    diagnose("a", "first", "s");
    clock_.advance_ns(60 * second_ns - 1);
    diagnose("a", "held back", "s");
    clock_.advance_ns(1);
    diagnose("a", "second", "s");
    diagnose("a", "held back", "s");
    EXPECT_THAT(told_, ElementsAre("a: first", "a: second"));
}

TEST_F(DiagnosticsTest, TellsCausesAndSubjectsApart) {
    diagnose("a", "1", "s");
    diagnose("a", "2", "t");
    diagnose("b", "3", "s");
    diagnose("as", "4");
    diagnose("a", "held back", "s");
    EXPECT_THAT(told_, ElementsAre("a: 1", "a: 2", "b: 3", "as: 4"));
}

TEST_F(DiagnosticsTest, AFloodOfSubjectsIsBoundedUntilTheyExpire) {
    for (std::size_t i = 0; i < diagnostics_remembered_max + 100; ++i) {
        diagnose("flood", "x", std::to_string(i));
    }
    EXPECT_EQ(told_.size(), diagnostics_remembered_max);
    clock_.advance_ns(diagnostics_interval_ns);
    diagnose("flood", "later", "new");
    EXPECT_EQ(told_.back(), "flood: later");
}

TEST_F(DiagnosticsTest, ANewHandlerHasBeenToldNothing) {
    diagnose("a", "old");
    int calls = 0;
    set_diagnostics_handler([](const diagnostic&, void* count) { ++*static_cast<int*>(count); },
                            &calls);
    diagnose("a", "new");
    EXPECT_EQ(calls, 1);
    EXPECT_THAT(told_, ElementsAre("a: old"));
}

TEST_F(DiagnosticsTest, WithoutAHandlerNothingIsRemembered) {
    set_diagnostics_handler(nullptr);
    diagnose("a", "unheard");
    int calls = 0;
    set_diagnostics_handler([](const diagnostic&, void* count) { ++*static_cast<int*>(count); },
                            &calls);
    diagnose("a", "heard");
    EXPECT_EQ(calls, 1);
}

TEST_F(DiagnosticsTest, ForgettingMakesTheSameComplaintDue) {
    diagnose("a", "1");
    forget_diagnostics();
    diagnose("a", "2");
    EXPECT_THAT(told_, ElementsAre("a: 1", "a: 2"));
}

TEST_F(DiagnosticsTest, AnExceptionOfTheHandlerStopsThere) {
    int calls = 0;
    set_diagnostics_handler(
        [](const diagnostic&, void* count) {
            ++*static_cast<int*>(count);
            throw std::runtime_error("handler");
        },
        &calls);
    diagnose("a", "x");
    diagnose("b", "x");
    EXPECT_EQ(calls, 2);
}

TEST_F(DiagnosticsTest, TheHandlerMayComplainAndSetAnother) {
    set_diagnostics_handler(
        [](const diagnostic& what, void* told) {
            static_cast<std::vector<std::string>*>(told)->emplace_back(what.message);
            diagnose("inner", "from the handler");
            if (what.cause == "inner") set_diagnostics_handler(nullptr);
        },
        &told_);
    diagnose("outer", "from outside");
    diagnose("outer", "unheard", "other");
    EXPECT_THAT(told_, ElementsAre("from outside", "from the handler"));
}

TEST_F(DiagnosticsTest, OneOfManyThreadsIsHeardConcurrentSafe) {
    std::atomic<int> calls{0};
    set_diagnostics_handler(
        [](const diagnostic&, void* count) { ++*static_cast<std::atomic<int>*>(count); }, &calls);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([] {
                for (int k = 0; k < 200; ++k) diagnose("a", "x", "s");
            });
        }
    }
    EXPECT_EQ(calls, 1);
}

TEST_F(DiagnosticsTest, AChildForkedWhileOthersComplainDoesNotHang) {
    set_diagnostics_handler([](const diagnostic&, void*) {});
    std::atomic<bool> stop{false};
    std::jthread noise([&stop] {
        for (int i = 0; !stop; ++i) diagnose("noise", "x", std::to_string(i % 500));
    });
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(20);  // a hang ends as a signal, which the parent sees
            set_diagnostics_handler([](const diagnostic&, void*) { _exit(7); });
            diagnose("child", "x");
            _exit(1);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    stop = true;
}

}  // namespace
}  // namespace gym::telemetry::detail
