// SPDX-License-Identifier: Apache-2.0
#include "http/timer_heap.hpp"

#include <algorithm>
#include <random>

namespace gym::telemetry::http {
namespace {

struct item {
    int id = 0;
    timer_hook hook;
};
using heap = timer_heap<item, &item::hook>;

TEST(TimerHeap, ThoseSetFirstComeFirstAmongEquals) {
    heap timers;
    std::vector<item> items(20);
    for (int i = 0; i < 20; ++i) {
        items[static_cast<std::size_t>(i)].id = i;
        timers.set(items[static_cast<std::size_t>(i)], 5);
    }
    EXPECT_EQ(timers.pop(4), nullptr);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(timers.pop(5)->id, i);
    EXPECT_TRUE(timers.empty());
    EXPECT_EQ(timers.next(), never);
}

TEST(TimerHeap, NeverIsNoTimer) {
    heap timers;
    item one;
    timers.set(one, 3);
    timers.set(one, never);
    EXPECT_TRUE(timers.empty());
    timers.clear(one);
    EXPECT_EQ(timers.pop(never), nullptr);
}

TEST(TimerHeap, AgreesWithASortedListOnRandomCalls) {
    std::mt19937 random(3);
    std::vector<item> items(100);
    std::vector<std::pair<time_ns, item*>> expected;
    heap timers;
    for (int step = 0; step < 20000; ++step) {
        item& any = items[random() % items.size()];
        std::erase_if(expected, [&](const auto& entry) { return entry.second == &any; });
        if (random() % 3 == 0) {
            timers.clear(any);
        } else {
            const time_ns due = static_cast<time_ns>(random() % 50);
            timers.set(any, due);
            const auto place = std::upper_bound(
                expected.begin(), expected.end(), due,
                [](time_ns value, const auto& entry) { return value < entry.first; });
            expected.insert(place, {due, &any});
        }
        if (random() % 4 == 0) {
            const time_ns now = static_cast<time_ns>(random() % 50);
            item* popped = timers.pop(now);
            if (!expected.empty() && expected.front().first <= now) {
                ASSERT_EQ(popped, expected.front().second);
                expected.erase(expected.begin());
            } else {
                ASSERT_EQ(popped, nullptr);
            }
        }
        ASSERT_EQ(timers.size(), expected.size());
        ASSERT_EQ(timers.next(), expected.empty() ? never : expected.front().first);
    }
}

}  // namespace
}  // namespace gym::telemetry::http
