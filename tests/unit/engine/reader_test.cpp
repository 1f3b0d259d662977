// SPDX-License-Identifier: Apache-2.0
#include "engine/reader.hpp"

#include "engine_fixture.hpp"

#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gym::telemetry::engine {
namespace {

class callback final : public observable {
public:
    explicit callback(std::function<void(observer&)> body) : body_(std::move(body)) {}
    void call(observer& to) override { body_(to); }

private:
    std::function<void(observer&)> body_;
};

class Reader : public EngineTest {
protected:
    static constexpr temporalities all_delta = {temporality::delta, temporality::delta,
                                                temporality::delta};
    std::uint64_t observe(std::function<void(observer&)> body) {
        return source->observables().add(test_row::observed,
                                         std::make_shared<callback>(std::move(body)));
    }
    static void say(observer& to, std::string_view a, std::int64_t value) { to.observe(&a, value); }
};

TEST_F(Reader, SeesWhatOtherReadersHaveSeen) {
    reader other(source, all_delta);
    count("p");
    EXPECT_EQ(values(test_row::counter).at("p;"), 1);
    EXPECT_EQ(values(test_row::counter, other).at("p;"), 1);
    count("p");
    EXPECT_EQ(values(test_row::counter).at("p;"), 2);
    EXPECT_EQ(values(test_row::counter, other).at("p;"), 1);
    EXPECT_TRUE(values(test_row::counter, other).empty());  // nothing since
}

TEST_F(Reader, DeltaHistogramsAreOfTheInterval) {
    reader delta(source, all_delta);
    time(100, "p");
    time(700, "p");
    delta.collect();
    time(300, "p");
    const auto& metric = delta.collect().metrics[test_row::histogram];
    ASSERT_EQ(metric.histograms.size(), 1u);
    EXPECT_EQ(metric.histograms[0].count, 1u);
    EXPECT_EQ(metric.histograms[0].sum, 300);
    EXPECT_EQ(metric.histograms[0].buckets[1], 1u);
    EXPECT_FALSE(metric.has_min_max);
    EXPECT_EQ(metric.time, temporality::delta);
}

TEST_F(Reader, UpDownSumsAreCumulativeAndZeroIsAPoint) {
    reader delta(source, all_delta);
    add(1, "p");
    EXPECT_EQ(values(test_row::up_down, delta).at("p;"), 1);
    add(-1, "p");
    EXPECT_EQ(values(test_row::up_down, delta).at("p;"), 0);
    EXPECT_EQ(values(test_row::up_down, delta).at("p;"), 0);
}

TEST_F(Reader, IntervalsOfDeltaMeet) {
    reader delta(source, all_delta);
    const std::int64_t first = delta.collect().time_ns;
    count("p");
    const snapshot& second = delta.collect();
    EXPECT_EQ(second.metrics[test_row::counter].start_time_ns, first);
    EXPECT_LE(second.metrics[test_row::counter].start_time_ns, second.time_ns);
}

TEST_F(Reader, TheLastStoreOfAGaugeWins) {
    const std::string_view none;
    record_elsewhere(test_row::gauge, &none, {.real = 3});
    record_elsewhere(test_row::gauge, &none, {.real = 5});
    ASSERT_EQ(collect(test_row::gauge).numbers.size(), 1u);
    EXPECT_EQ(collect(test_row::gauge).numbers[0].real, 5);
}

TEST_F(Reader, CountsSeriesOfEachInstrument) {
    count("p");
    count("q");
    time(1, "p");
    std::map<std::string, double> series;
    for (const auto& p : collect(test_row::series).numbers)
        series[std::string(p.series->encoded)] = p.real;
    EXPECT_EQ(series, (std::map<std::string, double>{{"counter;", 2}, {"histogram;", 1}}));
}

TEST_F(Reader, ASeriesThatACallbackNoLongerReportsIsNoPoint) {
    bool both = true;
    observe([&](observer& to) {
        say(to, "a", both ? 12 : 13);
        if (both) say(to, "b", 22);
    });
    EXPECT_EQ(values(test_row::observed),
              (std::map<std::string, std::int64_t>{{"a;", 12}, {"b;", 22}}));
    both = false;
    EXPECT_EQ(values(test_row::observed), (std::map<std::string, std::int64_t>{{"a;", 13}}));
}

TEST_F(Reader, ACallbackThatThrowsLosesItsOwnPointsOnly) {
    count("p");
    observe([](observer& to) {
        say(to, "a", 1);
        throw std::runtime_error("no snapshot today");
    });
    EXPECT_TRUE(values(test_row::observed).empty());
    EXPECT_EQ(values(test_row::counter).at("p;"), 1);
    EXPECT_GE(values(test_row::dropped).at("observed;callback_failed;"), 1);
}

TEST_F(Reader, AFallOfAnObservedCounterIsAReset) {
    reader delta(source, all_delta);
    std::int64_t now = 10;
    observe([&](observer& to) { say(to, "m", now); });
    EXPECT_EQ(values(test_row::observed, delta).at("m;"), 10);
    now = 3;
    EXPECT_EQ(values(test_row::observed, delta).at("m;"), 3);
    now = 4;
    EXPECT_EQ(values(test_row::observed, delta).at("m;"), 1);
}

TEST_F(Reader, ACallbackMayRecordAndTakeItselfBack) {
    std::uint64_t id = 0;
    id = observe([&](observer& to) {
        count("inside");
        source->observables().remove(id);
        say(to, "m", 1);
    });
    EXPECT_EQ(values(test_row::observed).at("m;"), 1);
    EXPECT_TRUE(values(test_row::observed).empty());
    EXPECT_EQ(values(test_row::counter).at("inside;"), 1);
}

TEST_F(Reader, TheFirstRegistrationOfAnInstrumentWins) {
    EXPECT_NE(observe([](observer& to) { say(to, "first", 1); }), 0u);
    EXPECT_EQ(observe([](observer& to) { say(to, "second", 1); }), 0u);
    EXPECT_EQ(values(test_row::observed).count("first;"), 1u);
}

TEST_F(Reader, NoCallbackBeginsAfterItWasTakenBackConcurrentSafe) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> collectors;
    for (int t = 0; t < 2; ++t)
        collectors.emplace_back([&] {
            reader own(source, {});
            while (!stop) own.collect();
        });
    for (int i = 0; i < 500; ++i) {
        auto alive = std::make_unique<std::atomic<bool>>(true);
        auto* flag = alive.get();
        const std::uint64_t id = observe([flag](observer& to) {
            EXPECT_TRUE(flag->load());
            say(to, "m", 1);
        });
        source->observables().remove(id);
        alive->store(false);
        alive.reset();
    }
    stop = true;
    for (auto& thread : collectors) thread.join();
}

TEST_F(Reader, SumAndBucketsAreOfTheSameRecordsConcurrentSafe) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; !stop.load(std::memory_order_relaxed); ++i)
                time(i % 2 == 0 ? 100 : 700, "p");
        });
    for (int i = 0; i < 2000; ++i) {
        const auto& metric = collect(test_row::histogram);
        for (const histogram_point& p : metric.histograms) {
            ASSERT_EQ(p.count, p.buckets[0] + p.buckets[2]);
            ASSERT_EQ(p.sum, 100.0 * double(p.buckets[0]) + 700.0 * double(p.buckets[2]));
        }
    }
    stop = true;
    for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace gym::telemetry::engine
