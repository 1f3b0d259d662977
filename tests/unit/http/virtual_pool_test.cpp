// SPDX-License-Identifier: Apache-2.0
//
// Rules that pool_cases.jsonl leaves open, on the virtual clock with the real recorders.
#include "http/virtual_pool.hpp"

#include "http/connect_counts.hpp"

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::http {
namespace {

using ::testing::ElementsAre;

void start() {
    options block;
    block.enabled = true;
    block.exporter = "memory";
    block.ignore_environment = true;
    init(block);
}

class VirtualPool : public ::testing::Test {
protected:
    void SetUp() override { start(); }
    void TearDown() override { shutdown(); }

    static virtual_acquire ask(std::int64_t id, const std::string& host = "a") {
        return {.id = id, .server = "m", .host = host};
    }
    static std::int64_t asked(std::string_view server) {
        for (const point& each : collect().points)
            if (each.instrument == http_connection_pool_connect_instrument &&
                std::get<std::string>(each.attributes.at(0).second) == server)
                return std::get<std::int64_t>(each.value);
        return 0;
    }
    // Count and sum of all series with this outcome.
    static std::pair<std::uint64_t, double> measured(std::string_view instrument,
                                                     std::string_view outcome) {
        std::pair<std::uint64_t, double> all{0, 0};
        for (const point& each : collect().points) {
            if (each.instrument != instrument) continue;
            for (const auto& [key, value] : each.attributes) {
                if (!key.ends_with("outcome") || std::get<std::string>(value) != outcome) continue;
                all.first += std::get<histogram_value>(each.value).count;
                all.second += std::get<histogram_value>(each.value).sum;
            }
        }
        return all;
    }
    static auto connects(std::string_view outcome) {
        return measured(http_connection_pool_connect_duration_instrument, outcome);
    }
    static auto queued(std::string_view outcome) {
        return measured(http_connection_pool_queue_duration_instrument, outcome);
    }
};

TEST_F(VirtualPool, WithoutANameItIsExternalAndTheAmbientOneStays) {
    virtual_pool pool({.limits = {}, .ambient_server = "judge"});
    pool.acquire({.id = 1, .server = std::nullopt, .host = "a"});
    pool.acquire({.id = 2, .server = "model", .host = "a"});
    EXPECT_EQ(pool.ambient_server(), "judge");
    EXPECT_EQ(asked("external"), 1);
    EXPECT_EQ(asked("model"), 1);
    EXPECT_EQ(asked("judge"), 0);
}

TEST_F(VirtualPool, AmbientServerEndsWithThePool) {
    {
        virtual_pool pool({.limits = {}, .ambient_server = "judge"});
    }
    EXPECT_EQ(current_destination(), external_server_name);
}

TEST_F(VirtualPool, LostConnectionIsNotUsedAgain) {
    virtual_pool pool({.limits = {.total = 1, .per_host = 0}});
    pool.acquire(ask(1));
    pool.release(1, false);
    pool.acquire(ask(2));
    pool.release(2);
    pool.acquire(ask(3));
    EXPECT_EQ(connects("ok").first, 2u);
}

TEST_F(VirtualPool, RedirectToAnotherHostOpensThere) {
    virtual_pool pool({.limits = {.total = 1, .per_host = 1}});
    pool.acquire(ask(1));
    pool.redirect(1, "b");
    EXPECT_EQ(asked("m"), 2);
    EXPECT_EQ(connects("ok").first, 2u);
    pool.redirect(1, "a");
    EXPECT_EQ(connects("ok").first, 2u) << "the first one is idle and alive";
    EXPECT_EQ(queued("ok").first, 0u);
    EXPECT_THAT(pool.acquired(), ElementsAre(1));
}

TEST_F(VirtualPool, FailedConnectAfterAWaitIsBoth) {
    virtual_pool pool({.limits = {.total = 1, .per_host = 1}});
    pool.acquire(ask(1));
    auto failing = ask(2, "b");
    failing.connect_fails = true;
    failing.connect_ms = 7;
    pool.acquire(failing);
    pool.acquire(ask(3));
    pool.advance_ms(10);
    pool.release(1);
    pool.advance_ms(7);
    EXPECT_EQ(queued("ok"), std::pair(std::uint64_t{2}, 27.0));
    EXPECT_EQ(connects("failed"), std::pair(std::uint64_t{1}, 7.0));
    EXPECT_THAT(pool.acquired(), ElementsAre(1, 3));
}

TEST_F(VirtualPool, WhatFallsDueOnTheWayHappensInItsOrder) {
    virtual_pool pool({.limits = {.total = 1, .per_host = 1}});
    auto first = ask(1);
    first.connect_ms = 100;
    first.timeout_ms = 30;
    auto second = ask(2);
    second.timeout_ms = 20;
    auto third = ask(3);
    third.connect_ms = 5;
    pool.acquire(first);
    pool.acquire(second);
    pool.acquire(third);
    pool.advance_ms(1000);
    EXPECT_EQ(queued("abandoned"), std::pair(std::uint64_t{1}, 20.0));
    EXPECT_EQ(connects("failed"), std::pair(std::uint64_t{1}, 30.0));
    EXPECT_EQ(queued("ok"), std::pair(std::uint64_t{1}, 30.0));
    EXPECT_EQ(connects("ok"), std::pair(std::uint64_t{1}, 5.0));
    EXPECT_THAT(pool.acquired(), ElementsAre(3));
}

TEST_F(VirtualPool, GateIsReadAgainByTheNextPool) {
    virtual_pool pool({.limits = {.total = 1, .per_host = 1}});
    pool.acquire(ask(1));
    pool.release(1);
    pool.set_metrics_enabled(false);
    pool.acquire(ask(2));
    pool.release(2);
    pool.replace_connector();
    pool.acquire(ask(3));
    pool.release(3);
    EXPECT_EQ(asked("m"), 2) << "the pool that was made with metrics off counts nothing";
    pool.set_metrics_enabled(true);
    pool.replace_connector();
    pool.acquire(ask(4));
    EXPECT_EQ(asked("m"), 3) << "and what the first one counted is still there";
}

TEST_F(VirtualPool, ReplacedWhileWaitedForAbandonsTheWait) {
    virtual_pool pool({.limits = {.total = 1, .per_host = 1}});
    pool.acquire(ask(1));
    pool.acquire(ask(2));
    pool.acquire(ask(3));
    pool.advance_ms(4);
    pool.replace_connector();
    EXPECT_EQ(queued("abandoned"), std::pair(std::uint64_t{2}, 8.0));
    EXPECT_EQ(queued("ok").first, 0u);
}

TEST_F(VirtualPool, SameIdMayBeHeldMoreThanOnce) {
    virtual_pool pool({.limits = {.total = 2, .per_host = 0}});
    for (int i = 0; i < 3; ++i) pool.acquire(ask(1));
    pool.advance_ms(5);
    pool.release(1);
    EXPECT_EQ(queued("ok"), std::pair(std::uint64_t{1}, 5.0));
    EXPECT_EQ(asked("m"), 3);
    EXPECT_THAT(pool.acquired(), ElementsAre(1));
}

TEST_F(VirtualPool, CountsBeginAnewWithEachGeneration) {
    virtual_pool pool({.limits = {}});
    pool.acquire(ask(1));
    EXPECT_EQ(asked("m"), 1);
    shutdown();
    pool.acquire(ask(2));  // while telemetry is off
    start();
    EXPECT_EQ(asked("m"), 0) << "nothing of the generation before";
    pool.acquire(ask(3));
    pool.acquire(ask(4));
    EXPECT_EQ(asked("m"), 2) << "a pool that lived on is counted in the new one";
}

TEST_F(VirtualPool, ForkedChildCountsFromZero) {
    virtual_pool pool({.limits = {}});
    pool.acquire(ask(1));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const std::int64_t inherited = asked("m");
        pool.acquire(ask(2));
        _exit(inherited == 0 ? static_cast<int>(asked("m")) : 100);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_EQ(asked("m"), 1);
}

TEST_F(VirtualPool, TelemetryThatIsOffMeasuresNothing) {
    shutdown();
    const auto before = process_counts().snapshot();
    virtual_pool pool({.limits = {.total = 1, .per_host = 0}});
    pool.acquire(ask(1));
    pool.acquire(ask(2));
    pool.release(1);
    EXPECT_THAT(pool.acquired(), ElementsAre(1, 2));
    EXPECT_EQ(process_counts().snapshot(), before);
}

TEST_F(VirtualPool, CountsOfManyPoolsAddUpConcurrentSafe) {
    constexpr int threads = 4, each = 2000;
    {
        std::vector<std::jthread> running;
        for (int i = 0; i < threads; ++i) {
            running.emplace_back([] {
                virtual_pool pool({.limits = {}});
                for (int n = 0; n < each; ++n) {
                    pool.acquire(ask(n));
                    pool.release(n);
                }
            });
        }
        for (int i = 0; i < 50; ++i) EXPECT_LE(asked("m"), threads * each);
    }
    EXPECT_EQ(asked("m"), threads * each);
}

TEST(ConnectCounts, DestinationsBeyondTheLimitAreCountedTogether) {
    start();
    {
        connect_counts counts;
        for (std::size_t i = 0; i < connect_destinations_max + 10; ++i)
            counts.add("server" + std::to_string(i));
        const auto all = counts.snapshot();
        EXPECT_EQ(all.size(), connect_destinations_max + 1);
        for (const auto& [name, count] : all)
            EXPECT_EQ(count, name == other_destinations ? 10 : 1) << name;
    }
    shutdown();
}

TEST(DestinationScope, NestsAndPutsBack) {
    EXPECT_EQ(current_destination(), "external");
    {
        const destination_scope outer("model");
        EXPECT_EQ(current_destination(), "model");
        {
            const destination_scope inner("");
            EXPECT_EQ(current_destination(), "external") << "an empty name is none";
        }
        EXPECT_EQ(current_destination(), "model");
        std::jthread([] { EXPECT_EQ(current_destination(), "external"); });
    }
    EXPECT_EQ(current_destination(), "external");
}

}  // namespace
}  // namespace gym::telemetry::http
