// SPDX-License-Identifier: Apache-2.0
#include "http/admission.hpp"

#include "recording_sink.hpp"

#include <deque>
#include <map>
#include <random>
#include <stdexcept>

namespace gym::telemetry::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::recording_sink;

constexpr time_ns ms = 1'000'000;

// Owns the acquisitions and notes, by host and number, who was granted a slot and who expired.
class Admission : public ::testing::Test, public admission_owner {
protected:
    ~Admission() override {
        if (pool) clear();
    }

    void make(slot_limits limits, pool_recorder* recorder,
              admission::introspection introspect = &binding_constraint) {
        pool.emplace(*this, limits, recorder, introspect);
    }
    void make(slot_limits limits) { make(limits, &sink); }

    acquisition& ask(const std::string& host, time_ns deadline = never) {
        acquisition& who = all.emplace_back();
        who.host = host;
        who.destination = "model";
        who.deadline = deadline;
        if (pool->acquire(who, now)) at_once.push_back(number(who));
        return who;
    }

    void granted(acquisition& who, time_ns) override {
        served.push_back(number(who));
        if (on_granted) on_granted(who);
    }
    // Ends one whose deadline has passed, as an owner does.
    bool expire_one() {
        acquisition* who = pool->pop_expired(now);
        if (who == nullptr) return false;
        lapsed.emplace_back(number(*who), who->state);
        pool->release(*who, now);
        return true;
    }

    std::size_t number(const acquisition& who) const {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (&all[i] == &who) return i;
        return SIZE_MAX;
    }

    void clear() {
        on_granted = nullptr;
        for (auto who = all.rbegin(); who != all.rend(); ++who)
            if (who->state == acquisition_state::waiting) pool->release(*who, now);
        for (acquisition& who : all)
            if (who.state != acquisition_state::idle) pool->release(who, now);
    }

    recording_sink sink;
    std::optional<admission> pool;
    std::deque<acquisition> all;
    std::vector<std::size_t> at_once;
    std::vector<std::size_t> served;
    std::vector<std::pair<std::size_t, acquisition_state>> lapsed;
    std::function<void(acquisition&)> on_granted;
    time_ns now = 0;
};

TEST_F(Admission, ZeroIsNoLimit) {
    make({.total = 0, .per_host = 0});
    for (int i = 0; i < 5000; ++i) ask("a");
    EXPECT_EQ(pool->used(), 5000);
    EXPECT_EQ(pool->waiting(), 0);
}

TEST_F(Admission, LongestWaiterWhomTheLimitsAdmitIsServed) {
    make({.total = 3, .per_host = 2});
    acquisition& a0 = ask("a");
    ask("a");
    acquisition& b2 = ask("b");
    ask("a");  // 3: the host is full, and so is the total
    ask("b");  // 4: the total is full
    pool->release(b2, now);
    EXPECT_THAT(served, ElementsAre(4u)) << "3 waited longer, but its host had no room";
    pool->release(a0, now);
    EXPECT_THAT(served, ElementsAre(4u, 3u));
}

TEST_F(Admission, NewcomerDoesNotOvertakeWhoIsBeingServed) {
    make({.total = 2, .per_host = 0});
    acquisition& first = ask("a");
    acquisition& second = ask("a");
    ask("a");  // 2
    ask("a");  // 3
    bool asked = false;
    on_granted = [&](acquisition&) {
        if (std::exchange(asked, true)) return;
        pool->release(second, now);  // another slot becomes free while 2 is being served
        ask("a");                    // 4 asks at that moment
    };
    pool->release(first, now);
    EXPECT_THAT(served, ElementsAre(2u, 3u));
    EXPECT_EQ(all[4].state, acquisition_state::waiting);
}

TEST_F(Admission, ConstraintIsTheOneThatBoundWhenTheWaitBegan) {
    make({.total = 2, .per_host = 1});
    acquisition& a = ask("a");
    ask("a");  // 1: per_host, since one of two is in use
    acquisition& b = ask("b");
    now += 10 * ms;
    pool->release(a, now);
    EXPECT_THAT(sink.take(), ElementsAre("queued 10 per_host ok model"))
        << "the total was full by the time it was served";
    ask("c");  // total
    now += 5 * ms;
    pool->release(b, now);
    EXPECT_THAT(sink.take(), ElementsAre("queued 5 total ok model"));
}

TEST_F(Admission, IntrospectionThatThrowsIsUnknown) {
    make({.total = 1, .per_host = 1}, &sink,
         [](const occupancy&) -> std::string_view { throw std::runtime_error("no"); });
    acquisition& a = ask("a");
    ask("a");
    pool->release(a, now);
    EXPECT_THAT(sink.take(), ElementsAre("queued 0 unknown ok model"));
}

TEST_F(Admission, RecorderThatThrowsLosesItsMeasurementsOnly) {
    class throwing final : public pool_recorder {
        void asked(std::string_view) override { throw 1; }
        void queued(double, std::string_view, std::string_view, std::string_view) override {
            throw std::runtime_error("no");
        }
        void connected(double, std::string_view, std::string_view) override { throw 2; }
    } recorder;
    make({.total = 1, .per_host = 1}, &recorder);
    acquisition& a = ask("a");
    pool->begin_open(a, now);
    pool->opened(a, now);
    ask("a");
    pool->release(a, now);
    EXPECT_THAT(served, ElementsAre(1u));
    EXPECT_EQ(pool->recorder_failures(), 4) << "two asked, one queued, one connected";
}

TEST_F(Admission, WithoutARecorderTheRulesAreTheSame) {
    make({.total = 1, .per_host = 0}, nullptr, [](const occupancy&) -> std::string_view {
        throw std::logic_error("asked although nothing is measured");
    });
    acquisition& a = ask("a");
    ask("b");
    pool->release(a, now);
    EXPECT_THAT(served, ElementsAre(1u));
}

TEST_F(Admission, DeadlineCoversWaitingAndOpening) {
    make({.total = 1, .per_host = 1});
    acquisition& a = ask("a");
    acquisition& b = ask("b", 25 * ms);
    now = 10 * ms;
    pool->release(a, now);
    pool->begin_open(b, now);
    EXPECT_EQ(pool->next_deadline(), 25 * ms);
    now = 24 * ms;
    EXPECT_FALSE(expire_one());
    now = 25 * ms;
    EXPECT_TRUE(expire_one());
    EXPECT_THAT(lapsed, ElementsAre(std::pair(1u, acquisition_state::opening)));
    EXPECT_THAT(sink.take(), ElementsAre("queued 10 total ok model", "connected 15 failed model"));
    EXPECT_EQ(pool->used(), 0);
}

TEST_F(Admission, DeadlineEndsWithAUsableConnection) {
    make({.total = 2, .per_host = 0});
    acquisition& a = ask("a", 5 * ms);
    pool->begin_open(a, now);
    pool->opened(a, 3 * ms);
    acquisition& b = ask("a", 5 * ms);
    pool->reused(b);
    EXPECT_EQ(pool->next_deadline(), never);
    now = 100 * ms;
    EXPECT_FALSE(expire_one());
}

TEST_F(Admission, ExpiryWhileWaitingServesTheOthers) {
    make({.total = 1, .per_host = 1});
    acquisition& a = ask("a");
    ask("a", 10 * ms);
    ask("a");
    now = 10 * ms;
    EXPECT_TRUE(expire_one());
    now = 20 * ms;
    pool->release(a, now);
    EXPECT_THAT(served, ElementsAre(2u));
    EXPECT_THAT(sink.take(),
                ElementsAre("queued 10 total abandoned model", "queued 20 total ok model"));
}

TEST_F(Admission, CancelledOpeningFailedAndFreesItsSlot) {
    make({.total = 1, .per_host = 1});
    acquisition& a = ask("a");
    pool->begin_open(a, now);
    ask("b");
    now = 15 * ms;
    pool->release(a, now);
    EXPECT_THAT(sink.take(), ElementsAre("connected 15 failed model", "queued 15 total ok model"));
    EXPECT_THAT(served, ElementsAre(1u));
}

TEST_F(Admission, ConnectionThatTurnedOutDeadIsOpenedAnew) {
    make({.total = 1, .per_host = 1});
    acquisition& a = ask("a");
    pool->begin_open(a, now);
    pool->reused(a);
    pool->begin_open(a, 5 * ms);
    pool->opened(a, 8 * ms);
    EXPECT_THAT(sink.take(), ElementsAre("connected 3 ok model")) << "reuse recorded nothing";
}

TEST_F(Admission, CurlsOwnDurationIsTaken) {
    make({.total = 1, .per_host = 1});
    acquisition& a = ask("a");
    pool->begin_open(a, now);
    pool->opened(a, 9 * ms, 7.5);
    EXPECT_THAT(sink.take(), ElementsAre("connected 7.5 ok model"));
}

TEST_F(Admission, HostsThatNobodyUsesAreForgotten) {
    make({.total = 0, .per_host = 1});
    acquisition& kept = ask("kept");
    for (int i = 0; i < 5000; ++i) {
        acquisition& who = ask("host" + std::to_string(i));
        pool->release(who, now);
    }
    EXPECT_LE(pool->hosts(), 1025u);
    ask("kept");
    EXPECT_EQ(pool->waiting(), 1) << "the slot of a holder is remembered";
    pool->release(kept, now);
    EXPECT_EQ(served.size(), 1u);
}

// The same rules in the plainest form: one list in order of arrival, walked from its start.
struct naive_pool {
    slot_limits limits;
    std::map<std::string, std::int64_t> used;
    std::int64_t total = 0;
    std::deque<std::pair<std::size_t, std::string>> waiting;
    std::map<std::size_t, std::string> holding;

    bool admits(const std::string& host) {
        return (limits.total == 0 || total < limits.total) &&
               (limits.per_host == 0 || used[host] < limits.per_host);
    }
    void take(std::size_t id, const std::string& host) {
        ++total;
        ++used[host];
        holding[id] = host;
    }
    std::vector<std::size_t> serve() {
        std::vector<std::size_t> granted;
        for (auto it = waiting.begin(); it != waiting.end();) {
            if (admits(it->second)) {
                take(it->first, it->second);
                granted.push_back(it->first);
                it = waiting.erase(it);
            } else {
                ++it;
            }
        }
        return granted;
    }
    std::vector<std::size_t> ask(std::size_t id, const std::string& host) {
        waiting.emplace_back(id, host);
        return serve();
    }
    std::vector<std::size_t> drop(std::size_t id) {
        if (const auto held = holding.find(id); held != holding.end()) {
            --total;
            --used[held->second];
            holding.erase(held);
        }
        std::erase_if(waiting, [&](const auto& entry) { return entry.first == id; });
        return serve();
    }
};

TEST_F(Admission, AgreesWithTheNaivePoolOnRandomCalls) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const slot_limits limits{.total = static_cast<std::int64_t>(random() % 6),
                                 .per_host = static_cast<std::int64_t>(random() % 4)};
        make(limits);
        naive_pool naive{.limits = limits, .used = {}, .waiting = {}, .holding = {}};
        for (int step = 0; step < 200; ++step) {
            served.clear();
            at_once.clear();
            std::vector<std::size_t> expected;
            if (all.empty() || random() % 5 < 3) {
                const std::string host(1, static_cast<char>('a' + random() % 4));
                ask(host);
                expected = naive.ask(all.size() - 1, host);
                EXPECT_EQ(at_once, expected);
            } else {
                const std::size_t id = random() % all.size();
                if (all[id].state == acquisition_state::idle) continue;
                pool->release(all[id], now);
                EXPECT_EQ(served, naive.drop(id));
            }
            ASSERT_EQ(pool->used(), naive.total);
            ASSERT_EQ(pool->waiting(), static_cast<std::int64_t>(naive.waiting.size()));
        }
        clear();
        all.clear();
    }
}

}  // namespace
}  // namespace gym::telemetry::http
