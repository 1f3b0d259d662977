// SPDX-License-Identifier: Apache-2.0
#include "forked_child.hpp"
#include "instruments_fixture.hpp"

#include <gym/telemetry/bound.hpp>

#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace gym::telemetry {
namespace {

using Bound = InstrumentsTest;
using series = std::map<std::string, double>;

TEST_F(Bound, EachFormRecordsWhatItsRecorderDoes) {
    const std::string_view checks[] = {"a", "b", "a", "Bad Id"};
    bind_sandbox_active("p").record(3);
    bind_sandbox_startup("p").record(1);
    bind_sandbox_exec_duration("p").record(std::chrono::seconds(1));
    bind_sandbox_create_retry("p").record();
    bind_server_startup_stage("s", "srv", "t", true).record(1);
    bind_http_connection_pool_queue_duration("total", "ok", "m").record(1);
    bind_http_connection_pool_connect_duration("ok", "m").record(1);
    bind_rollout_completed("failed", "e", {"c", "shutdown", "T"}).record();
    bind_rollout_reward("e", true).record(-1);
    bind_rollout_health("unhealthy", "scored", checks).record();
    bind_rollout_duration().record(1);
    bind_verify().record(1, false);
    bind_active_servers().record(4);
    bind_server_request().record(1);
    EXPECT_EQ(seen(sandbox_active_instrument), (series{{"p", 3}}));
    EXPECT_EQ(seen(sandbox_startup_instrument), (series{{"p", 1}}));
    EXPECT_EQ(seen(sandbox_exec_instrument), (series{{"p", 1}}));
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"p", 1}}));
    EXPECT_EQ(seen(server_startup_stage_instrument), (series{{"s|srv|t|true", 1}}));
    EXPECT_EQ(seen(http_connection_pool_queue_duration_instrument), (series{{"total|ok|m", 1}}));
    EXPECT_EQ(seen(http_connection_pool_connect_duration_instrument), (series{{"ok|m", 1}}));
    EXPECT_EQ(seen(rollout_completed_instrument), (series{{"failed|e|c|shutdown|T", 1}}));
    EXPECT_EQ(seen(rollout_rewarded_instrument), (series{{"negative|e|true", 1}}));
    EXPECT_EQ(seen(rollout_health_verdict_instrument), (series{{"unhealthy|scored", 1}}));
    EXPECT_EQ(seen(rollout_health_flagged_instrument), (series{{"a|scored", 1}, {"b|scored", 1}}));
    EXPECT_EQ(seen(verify_success_rate_instrument), (series{{"", 0}}));
    EXPECT_EQ(seen(servers_active_instrument), (series{{"", 4}}));
    EXPECT_EQ(seen(server_request_duration_instrument), (series{{"", 1}}));
    EXPECT_EQ(seen("gym.telemetry.dropped_total"),
              (series{{"gym.rollout.health_flagged_total|bad_name", 1}}));
}

TEST_F(Bound, SharesTheSeriesOfTheUnboundRecorder) {
    const auto bound = bind_sandbox_create_retry("p");
    bound.record();
    record_sandbox_create_retry("p");
    bound.record();
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"p", 3}}));
    EXPECT_EQ(source->live_cells(), 1u);
}

TEST_F(Bound, MayBeMadeBeforeInitAndOutlivesGenerations) {
    engine::end_generation();
    const auto bound = bind_sandbox_create_retry("p");
    bound.record();  // off: nothing
    begin();
    bound.record();
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"p", 1}}));
    begin();
    EXPECT_TRUE(seen(sandbox_create_retry_instrument).empty());
    bound.record();
    bound.record();
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"p", 2}}));
}

TEST_F(Bound, AnIdThatIsUsedAgainNeverReachesTheOldSeries) {
    for (int i = 0; i < 5; ++i) bind_sandbox_create_retry("p" + std::to_string(i)).record();
    const auto seen_now = seen(sandbox_create_retry_instrument);
    EXPECT_EQ(seen_now.size(), 5u);
    for (const auto& [key, value] : seen_now) EXPECT_EQ(value, 1) << key;
}

// Another thread's table has a cell for the id of the binding that ended.
TEST_F(Bound, AnIdThatIsUsedAgainIsNewInEveryThread) {
    std::atomic<const bound_counter*> to{nullptr};
    std::atomic<bool> stop{false};
    std::thread other([&] {
        while (!stop)
            if (const bound_counter* counter = to.exchange(nullptr)) counter->record();
    });
    for (int i = 0; i < 50; ++i) {
        const auto bound = bind_sandbox_create_retry("p" + std::to_string(i));
        to = &bound;
        while (to.load() != nullptr) std::this_thread::yield();
        while (seen(sandbox_create_retry_instrument).size() != static_cast<std::size_t>(i) + 1)
            std::this_thread::yield();
    }
    stop = true;
    other.join();
    for (const auto& [key, value] : seen(sandbox_create_retry_instrument))
        EXPECT_EQ(value, 1) << key;
}

TEST_F(Bound, MoreThanThereAreIdsStillRecord) {
    begin(0);
    std::vector<bound_counter> all;
    for (std::size_t i = 0; i < detail::max_bindings + 10; ++i)
        all.push_back(bind_sandbox_create_retry("p" + std::to_string(i)));
    for (int round = 0; round < 2; ++round)
        for (const bound_counter& counter : all) counter.record();
    const auto seen_now = seen(sandbox_create_retry_instrument);
    EXPECT_EQ(seen_now.size(), all.size());
    for (const auto& [key, value] : seen_now) ASSERT_EQ(value, 2) << key;
}

TEST_F(Bound, GenerationsAndBindingsChangeUnderThoseWhoRecordConcurrentSafe) {
    const auto lasting = bind_sandbox_create_retry("lasting");
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    for (int t = 0; t < 3; ++t)
        all.emplace_back([&, t] {
            while (!stop.load(std::memory_order_relaxed)) {
                lasting.record();
                const auto passing = bind_sandbox_startup("passing" + std::to_string(t));
                passing.record(1);
                record_sandbox_create_retry("lasting");
            }
        });
    for (int i = 0; i < 200; ++i) {
        begin();
        std::this_thread::yield();
        engine::end_generation();
    }
    begin();
    stop = true;
    for (auto& thread : all) thread.join();
    begin();
    for (int i = 0; i < 10; ++i) lasting.record();
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"lasting", 10}}));
    EXPECT_TRUE(seen(sandbox_startup_instrument).empty());
}

// What is locked when a process is copied stays locked in the copy.
TEST_F(Bound, CanBeMadeInAForkedChildWhileOthersMakeThem) {
    std::atomic<bool> stop{false};
    std::thread other([&] {
        while (!stop) bind_sandbox_create_retry("p");
    });
    for (int i = 0; i < 30; ++i) {
        engine::before_fork();
        const int code = test::in_forked_child([] {
            engine::after_fork_in_child(false);
            alarm(10);
            bind_sandbox_create_retry("q").record();
            return 0;
        });
        engine::after_fork_in_parent();
        EXPECT_EQ(code, 0);
    }
    stop = true;
    other.join();
}

TEST_F(Bound, TheOverflowSeriesIsReachedByNoValues) {
    begin(1);
    record_sandbox_create_retry("first");
    for (int i = 0; i < 1000; ++i) {
        std::string text(0xffff, 'x');
        text.replace(0, 4, std::to_string(1000 + i));
        record_sandbox_create_retry(text);
    }
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"first", 1}, {"overflow", 1000}}));
}

TEST_F(Bound, FollowsTheRules) {
    bind_sandbox_startup("p").record(std::nan(""));
    bind_sandbox_startup("p").record(-1);
    bind_rollout_reward("e", false).record(std::nan(""));
    bind_rollout_completed("scored", "e", {.failure_kind = "shutdown"}).record();
    EXPECT_TRUE(seen(sandbox_startup_instrument).empty());
    EXPECT_EQ(seen(rollout_completed_instrument), (series{{"scored|e|||", 1}}));
    EXPECT_EQ(seen("gym.telemetry.dropped_total").size(), 3u);
}

TEST_F(Bound, CountsInTheOverflowSeries) {
    begin(1);
    record_sandbox_create_retry("first");
    const auto bound = bind_sandbox_create_retry("second");
    bound.record();
    bound.record();
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"first", 1}, {"overflow", 2}}));
}

TEST_F(Bound, OneObjectServesAllThreadsConcurrentSafe) {
    const auto counter = bind_sandbox_create_retry("p");
    const auto histogram = bind_sandbox_startup("p");
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&] {
            for (int i = 0; i < 10000; ++i) {
                counter.record();
                histogram.record(i);
            }
        });
    for (auto& thread : all) thread.join();
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"p", 40000}}));
    EXPECT_EQ(seen(sandbox_startup_instrument), (series{{"p", 40000}}));
}

TEST_F(Bound, AMovedOneGoesOnAndTheEmptyOneIsSilent) {
    auto bound = bind_sandbox_create_retry("p");
    auto moved = std::move(bound);
    moved.record();
    bound.record();  // NOLINT(bugprone-use-after-move): what it promises is tested
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (series{{"p", 1}}));
}

}  // namespace
}  // namespace gym::telemetry
