// SPDX-License-Identifier: Apache-2.0
#include "engine/threads.hpp"

#include "engine_fixture.hpp"
#include "sanitizers.hpp"

#include <atomic>
#include <climits>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

namespace gym::telemetry::engine {
namespace {

using Threads = EngineTest;

void run_threads(int count, auto body) {
    std::vector<std::thread> all;
    for (int t = 0; t < count; ++t) all.emplace_back([&, t] { body(t); });
    for (auto& thread : all) thread.join();
}

TEST_F(Threads, TotalsAreExactConcurrentSafe) {
    run_threads(8, [](int) {
        for (int i = 0; i < 20000; ++i) count(i % 2 == 0 ? "even" : "odd");
    });
    EXPECT_EQ(values(test_row::counter),
              (std::map<std::string, std::int64_t>{{"even;", 80000}, {"odd;", 80000}}));
}

TEST_F(Threads, WhatEndedThreadsRecordedStays) {
    for (int i = 0; i < 100; ++i) run_threads(1, [](int) { count("p"); });
    EXPECT_EQ(values(test_row::counter).at("p;"), 100);
    EXPECT_EQ(source->live_blocks(), 1u);
    EXPECT_EQ(source->live_cells(), 1u);
}

TEST_F(Threads, BlocksNeverExceedTheThreadsAliveAtOnce) {
    for (int round = 0; round < 50; ++round) {
        run_threads(8, [](int t) {
            count("p");
            count("q" + std::to_string(t));
            time(t, "h");
        });
        EXPECT_LE(source->live_blocks(), 8u);
    }
    // All have ended: one idle block holds everything.
    EXPECT_EQ(source->live_blocks(), 1u);
    EXPECT_EQ(source->live_cells(), 1u + 8u + 1u);
    EXPECT_EQ(values(test_row::counter).at("p;"), 400);
    const auto& histogram = collect(test_row::histogram).histograms.at(0);
    EXPECT_EQ(histogram.count, 400u);
    EXPECT_EQ(histogram.sum, 50 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7));
    EXPECT_EQ(histogram.min, 0);
    EXPECT_EQ(histogram.max, 7);
}

TEST_F(Threads, FoldingAddsUpRatiosAndUpDownSums) {
    run_threads(4, [](int t) {
        for (int i = 0; i < 10; ++i) {
            add(t % 2 == 0 ? 1 : -1, "p");
            const std::string_view none;
            record_elsewhere(test_row::ratio, &none, {.integer = i < 4});
        }
    });
    EXPECT_EQ(values(test_row::up_down).at("p;"), 0);
    EXPECT_DOUBLE_EQ(collect(test_row::ratio).numbers.at(0).real, 0.4);
}

TEST_F(Threads, EndWhileACollectionRunsConcurrentSafe) {
    std::atomic<bool> stop{false};
    std::thread collector([&] {
        reader other(source, {});
        std::int64_t before = 0;
        while (!stop) {
            const auto seen = values(test_row::counter, other);
            const auto at = seen.find("p;");
            const std::int64_t now = at == seen.end() ? 0 : at->second;
            ASSERT_GE(now, before);  // a fold under way is never seen half done
            before = now;
        }
    });
    for (int i = 0; i < 200; ++i)
        run_threads(4, [](int) {
            for (int j = 0; j < 10; ++j) count("p");
        });
    stop = true;
    collector.join();
    EXPECT_EQ(values(test_row::counter).at("p;"), 200 * 4 * 10);
    EXPECT_LE(source->live_blocks(), 4u);
}

TEST_F(Threads, RecordingInADestructorOfThreadLocalStateIsKept) {
    struct at_end {
        ~at_end() { count("late"); }
    };
    run_threads(1, [](int) {
        static thread_local at_end late;
        (void)late;
        count("early");
    });
    EXPECT_EQ(values(test_row::counter),
              (std::map<std::string, std::int64_t>{{"early;", 1}, {"late;", 1}}));
}

TEST_F(Threads, RecordingInADestructorOfAThreadKeyIsKept) {
    static pthread_key_t key;
    ASSERT_EQ(pthread_key_create(&key, [](void*) { count("very late"); }), 0);
    run_threads(1, [](int) {
        pthread_setspecific(key, &key);
        count("early");
    });
    pthread_key_delete(key);
    EXPECT_EQ(values(test_row::counter).at("very late;"), 1);
    EXPECT_EQ(source->live_blocks(), 1u);
}

#ifndef GYM_TELEMETRY_THREAD_SANITIZED
// A key's destructor that sets its key again runs in every round that the system makes. What it
// records in the last one, telemetry is not told of the thread's end.
TEST_F(Threads, AThreadThatFirstRecordsAtItsVeryEndIsNotTouchedAfterwards) {
    static pthread_key_t key;
    static thread_local int rounds_left = PTHREAD_DESTRUCTOR_ITERATIONS;
    ASSERT_EQ(pthread_key_create(&key,
                                 [](void* again) {
                                     if (--rounds_left == 0)
                                         count("at the end");
                                     else
                                         pthread_setspecific(key, again);
                                 }),
              0);
    pthread_attr_t large;  // so that the system gives the stack and what is thread-local back
    pthread_attr_init(&large);
    ASSERT_EQ(pthread_attr_setstacksize(&large, std::size_t{64} << 20), 0);
    pthread_t thread;
    const auto body = [](void*) -> void* {
        pthread_setspecific(key, &key);
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &large, body, nullptr), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&large);
    pthread_key_delete(key);
    EXPECT_EQ(values(test_row::counter), (std::map<std::string, std::int64_t>{{"at the end;", 1}}));
    begin({});  // takes back all views that are left
    count("after");
    EXPECT_EQ(values(test_row::counter), (std::map<std::string, std::int64_t>{{"after;", 1}}));
}
#endif

TEST_F(Threads, WhatOthersRecordAfterTheEndGoesNowhere) {
    std::atomic<int> step{0};
    const auto wait_for = [&](int wanted) {
        while (step.load() != wanted) std::this_thread::yield();
    };
    std::thread other([&] {
        count("p");
        step = 1;
        wait_for(2);
        count("p");
    });
    wait_for(1);
    end_generation();
    step = 2;
    other.join();
    EXPECT_EQ(values(test_row::counter), (std::map<std::string, std::int64_t>{{"p;", 1}}));
}

TEST_F(Threads, ANewGenerationStartsFreshWhileOthersRecordConcurrentSafe) {
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> begun{0};
    std::vector<std::thread> recorders;
    for (int t = 0; t < 4; ++t)
        recorders.emplace_back([&] {
            while (!stop.load(std::memory_order_relaxed)) {
                begun.fetch_add(1, std::memory_order_relaxed);
                count("p");
            }
        });
    std::int64_t seen = 0;
    // A hundred times, and until the recorders, which may begin late, have been seen.
    for (int i = 0; i < 100 || seen == 0; ++i) {
        end_generation();
        const auto last = values(test_row::counter);
        if (const auto at = last.find("p;"); at != last.end()) seen += at->second;
        begin({});
        std::this_thread::yield();
    }
    stop = true;
    for (auto& thread : recorders) thread.join();
    const auto last = values(test_row::counter);
    if (const auto at = last.find("p;"); at != last.end()) seen += at->second;
    EXPECT_LE(seen, begun.load());
    EXPECT_GT(seen, 0);
}

TEST_F(Threads, AnOldGenerationLivesUntilItsLastThreadLeaves) {
    count("p");
    const std::weak_ptr<generation> old = source;
    begin({});
    EXPECT_FALSE(old.expired());  // this thread still caches it
    count("p");
    EXPECT_TRUE(old.expired());
    EXPECT_EQ(values(test_row::counter).at("p;"), 1);
}

TEST_F(Threads, NothingIsRecordedWhileNoGenerationIsInForce) {
    end_generation();
    count("p");
    time(1, "p");
    EXPECT_TRUE(values(test_row::counter).empty());
    EXPECT_EQ(source->live_cells(), 0u);
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

TEST_F(Threads, ASumStopsExactlyAtTheEndOfItsRange) {
    add(largest, "p");
    add(1, "p");
    EXPECT_EQ(values(test_row::up_down).at("p;"), largest);
    EXPECT_EQ(values(test_row::dropped).at("up_down;overflow;"), 1);
    add(-1, "p");
    EXPECT_EQ(values(test_row::up_down).at("p;"), largest - 1);
    add(smallest, "q");
    add(-1, "q");
    add(5, "q");
    EXPECT_EQ(values(test_row::up_down).at("q;"), smallest + 5);
    EXPECT_EQ(values(test_row::dropped).at("up_down;overflow;"), 2);
}

TEST_F(Threads, AWideSumTakesOverWhatTheCellsHeld) {
    add(3, "p");
    run_threads(2, [](int) { add(4, "p"); });
    add(largest - 11, "p");
    EXPECT_EQ(values(test_row::up_down).at("p;"), largest);
    add(1, "p");
    add(-largest, "p");
    EXPECT_EQ(values(test_row::up_down).at("p;"), 0);
    count("still counts");
    EXPECT_EQ(values(test_row::counter).at("still counts;"), 1);
}

}  // namespace
}  // namespace gym::telemetry::engine
