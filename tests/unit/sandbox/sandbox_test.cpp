// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "fake_provider.hpp"
#include "telemetry_fixture.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/sandbox.hpp>
#include <gym/telemetry/sandbox_extensions.hpp>

#include <atomic>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::test {
namespace {

using testing::IsEmpty;

using points = std::map<std::string, double>;

class SandboxTest : public TelemetryTest {
protected:
    static points active() { return seen(sandbox_active_instrument); }
    static points started() { return seen(sandbox_startup_instrument); }
    static points releases() { return seen(sandbox_release_instrument); }
    static points starts() { return seen(sandbox_start_outcome_instrument); }

    fake_provider provider;
};

TEST_F(SandboxTest, CountsFromHandOverToRelease) {
    auto box = provider.start();
    EXPECT_EQ(active(), (points{{"fake", 1}}));
    EXPECT_EQ(box.release(), release_result::released);
    EXPECT_FALSE(box);
    EXPECT_EQ(active(), (points{{"fake", 0}}));
    EXPECT_EQ(started(), (points{{"fake", 1}}));
    EXPECT_EQ(starts(), (points{{"ok|fake", 1}}));
    EXPECT_EQ(releases(), (points{{"released|fake", 1}}));
}

TEST_F(SandboxTest, TimesTheStartOnTheSteadyClock) {
    detail::manual_clock clock(1'000, 2'000'000);
    provider.create = [&clock](sandbox_lifecycle&) {
        clock.advance_ns(20'000'000);
        clock.step_wall_ns(-3'600'000'000'000);
        clock.advance_ns(20'000'000);
        return std::string("box");
    };
    const auto box = provider.start();
    EXPECT_EQ(sums(sandbox_startup_instrument), (points{{"fake", 40}}));
}

TEST_F(SandboxTest, FailedStartCountsNothingAndItsErrorGoesThrough) {
    provider.create = [](sandbox_lifecycle&) -> std::string { throw std::runtime_error("quota"); };
    EXPECT_THROW(provider.start(), std::runtime_error);
    EXPECT_THAT(active(), IsEmpty());
    EXPECT_THAT(started(), IsEmpty());
    EXPECT_EQ(starts(), (points{{"failed|fake", 1}}));
    EXPECT_EQ(seen(sandbox_starting_instrument), (points{{"fake", 0}}));
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(SandboxTest, StartsUnderWayAreCounted) {
    points during;
    provider.create = [&](sandbox_lifecycle&) {
        during = seen(sandbox_starting_instrument);
        return std::string("box");
    };
    const auto box = provider.start();
    EXPECT_EQ(during, (points{{"fake", 1}}));
    EXPECT_EQ(seen(sandbox_starting_instrument), (points{{"fake", 0}}));
}

TEST_F(SandboxTest, CancelledAfterTheProviderMadeItIsAnOrphan) {
    provider.create = [](sandbox_lifecycle& life) -> std::string {
        life.made("box-7");
        throw cancelled_error("the caller went");
    };
    EXPECT_THROW(provider.start(), cancelled_error);
    EXPECT_THAT(active(), IsEmpty());
    EXPECT_EQ(starts(), (points{{"cancelled|fake", 1}}));
    EXPECT_TRUE(said.mentions({"fake", "box-7", "nobody holds"}));
}

TEST_F(SandboxTest, ScopeExitReleases) {
    EXPECT_THROW(
        {
            const auto box = provider.start();
            throw std::runtime_error("upload");
        },
        std::runtime_error);
    EXPECT_EQ(provider.releases, 1);
    EXPECT_EQ(active(), (points{{"fake", 0}}));
}

TEST_F(SandboxTest, StoppingTwiceSubtractsOnce) {
    auto box = provider.start();
    box.release();
    EXPECT_EQ(box.release(), release_result::released);
    EXPECT_EQ(provider.releases, 1);
    EXPECT_EQ(active(), (points{{"fake", 0}}));
}

TEST_F(SandboxTest, FailedReleaseStaysCountedUntilOneSucceeds) {
    auto box = provider.start();
    provider.fail_release_with(std::runtime_error("busy"));
    EXPECT_THROW(box.release(), std::runtime_error);
    EXPECT_THROW(box.release(), std::runtime_error);
    EXPECT_TRUE(box);
    EXPECT_EQ(active(), (points{{"fake", 1}}));
    provider.release = [](std::string&) { return release_result::not_found; };
    EXPECT_EQ(box.release(), release_result::not_found);
    EXPECT_EQ(active(), (points{{"fake", 0}}));
    EXPECT_EQ(releases(), (points{{"failed|fake", 2}, {"not_found|fake", 1}}));
}

TEST_F(SandboxTest, FinalFailureIsSubtracted) {
    auto box = provider.start();
    provider.fail_release_with(final_error("gone for good"));
    EXPECT_THROW(box.release(), final_error);
    EXPECT_FALSE(box);
    EXPECT_EQ(active(), (points{{"fake", 0}}));
    EXPECT_EQ(releases(), (points{{"lost|fake", 1}}));
    EXPECT_TRUE(said.mentions({"fake", "box-1"}));
}

TEST_F(SandboxTest, FailureAtScopeExitIsLostSinceNobodyCanTryAgain) {
    provider.fail_release_with(std::runtime_error("busy"));
    {
        const auto box = provider.start();
    }
    EXPECT_EQ(active(), (points{{"fake", 0}}));
    EXPECT_EQ(releases(), (points{{"failed|fake", 1}, {"lost|fake", 1}}));
    EXPECT_TRUE(said.mentions({"fake", "box-1", "nobody holds"}));
}

TEST_F(SandboxTest, ConnectedOnlyIsNeverCounted) {
    auto box = provider.connect();
    EXPECT_EQ(box.exec([](std::string& id) { return id; }), "theirs");
    box.release();
    EXPECT_EQ(provider.releases, 1);
    EXPECT_THAT(active(), IsEmpty());
    EXPECT_THAT(started(), IsEmpty());
    EXPECT_THAT(releases(), IsEmpty());
    EXPECT_EQ(seen(sandbox_exec_instrument), (points{{"fake", 1}}));
}

TEST_F(SandboxTest, EmptyOneHasNothingToRelease) {
    fake_sandbox box;
    EXPECT_FALSE(box);
    EXPECT_EQ(box.release(), release_result::released);
    EXPECT_EQ(provider.releases, 0);
    EXPECT_THAT(active(), IsEmpty());
}

TEST_F(SandboxTest, MovesWithoutCountingAgain) {
    fake_sandbox box = provider.start();
    fake_sandbox other = std::move(box);
    EXPECT_EQ(active(), (points{{"fake", 1}}));
    EXPECT_EQ(other.handle(), "box-1");
    other = provider.start();  // the one that it held is released
    EXPECT_EQ(provider.releases, 1);
    EXPECT_EQ(active(), (points{{"fake", 1}}));
    other = {};
    EXPECT_EQ(active(), (points{{"fake", 0}}));
    EXPECT_EQ(started(), (points{{"fake", 2}}));
}

TEST_F(SandboxTest, HandleMayBeMoveOnly) {
    auto box = start_sandbox(
        "fake", [] { return std::make_unique<int>(7); }, [](std::unique_ptr<int>&) {});
    EXPECT_EQ(*box.handle(), 7);
    EXPECT_EQ(*box.exec([] { return std::make_unique<int>(8); }), 8);
}

TEST_F(SandboxTest, ExecThatRaisesIsNoDuration) {
    auto box = provider.start();
    EXPECT_EQ(box.exec([] { return 1; }), 1);  // an exit code
    box.exec([](std::string&) {});
    EXPECT_THROW(box.exec([] { throw std::runtime_error("session lost"); }), std::runtime_error);
    EXPECT_THROW(box.exec([]() -> int { throw cancelled_error("stop"); }), cancelled_error);
    EXPECT_EQ(seen(sandbox_exec_instrument), (points{{"fake", 2}}));
    EXPECT_EQ(seen(sandbox_exec_outcome_instrument),
              (points{{"ok|fake", 2}, {"failed|fake", 1}, {"cancelled|fake", 1}}));
}

TEST_F(SandboxTest, GroupOffRecordsNothingAndSaysSoOnce) {
    set_group(span_group::sandbox, false);
    auto box = provider.start();
    box.exec([] {});
    box.release();
    EXPECT_EQ(provider.releases, 1);
    for (const auto instrument : {sandbox_active_instrument, sandbox_startup_instrument,
                                  sandbox_exec_instrument, sandbox_start_outcome_instrument,
                                  sandbox_release_instrument, sandbox_starting_instrument})
        EXPECT_THAT(seen(instrument), IsEmpty()) << instrument;
    ASSERT_EQ(said.all().size(), 1u);
    EXPECT_TRUE(said.mentions({"sandbox", "span_groups"}));
    // A new generation may have other settings, and is told anew.
    options without = all_groups();
    without.span_groups = "default";
    begin(without);
    detail::forget_diagnostics();
    provider.start();
    EXPECT_EQ(said.all().size(), 2u);
}

TEST_F(SandboxTest, GroupOffWithoutMetricsIsNoComplaint) {
    options block = all_groups();
    block.span_groups = "default";
    block.metrics_enabled = false;
    begin(block);
    provider.start();
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(SandboxTest, MinusOneHasNoGate) {
    auto box = provider.start();
    set_group(span_group::sandbox, false);
    box.release();
    EXPECT_EQ(active(), (points{{"fake", 0}}));
}

TEST_F(SandboxTest, UncountedOneIsNotSubtractedWhenTheGroupComesOn) {
    set_group(span_group::sandbox, false);
    auto box = provider.start();
    set_group(span_group::sandbox, true);
    box.release();
    EXPECT_THAT(active(), IsEmpty());
}

TEST_F(SandboxTest, WorksWithoutTelemetry) {
    shutdown();
    auto box = provider.start();
    EXPECT_EQ(box.exec([] { return 3; }), 3);
    box.release();
    EXPECT_EQ(provider.releases, 1);
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(SandboxTest, ReleaseThatCallsBackInDoesNotHang) {
    fake_sandbox box;
    provider.release = [&](std::string&) {
        box.release();
        return release_result::released;
    };
    box = provider.start();
    box.release();
    EXPECT_EQ(provider.releases, 1);
}

// Two threads meet in the provider's release as far as that is possible: the first one waits there
// until the second one has begun.
TEST_F(SandboxTest, TwoStopsReleaseOnceConcurrentSafe) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<bool> second_begins = false;
        provider.releases = 0;
        provider.release = [&](std::string&) {
            while (!second_begins) std::this_thread::yield();
            return release_result::released;
        };
        auto box = provider.start();
        std::thread first([&] { box.release(); });
        std::thread second([&] {
            second_begins = true;
            box.release();
        });
        first.join();
        second.join();
        ASSERT_EQ(provider.releases, 1);
    }
    EXPECT_EQ(active(), (points{{"fake", 0}}));
}

TEST_F(SandboxTest, SecondStopTakesOverWhenTheFirstFailsConcurrentSafe) {
    std::atomic<bool> second_begins = false;
    provider.release = [&](std::string&) -> release_result {
        if (provider.releases == 1) {
            while (!second_begins) std::this_thread::yield();
            throw std::runtime_error("busy");
        }
        return release_result::released;
    };
    auto box = provider.start();
    int errors = 0;
    std::thread first([&] {
        try {
            box.release();
        } catch (const std::runtime_error&) {
            ++errors;
        }
    });
    while (provider.releases == 0) std::this_thread::yield();
    second_begins = true;
    box.release();
    first.join();
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(provider.releases, 2);
    EXPECT_EQ(active(), (points{{"fake", 0}}));
}

TEST_F(SandboxTest, ForkedChildNeitherSubtractsNorReleases) {
    auto box = provider.start();
    const pid_t child = fork();
    if (child == 0) {
        box = {};
        const bool untouched = provider.releases == 0 && active().empty();
        _exit(untouched ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(active(), (points{{"fake", 1}}));
}

}  // namespace
}  // namespace gym::telemetry::test
