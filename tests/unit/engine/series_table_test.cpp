// SPDX-License-Identifier: Apache-2.0
#include "engine_fixture.hpp"

#include <string>
#include <thread>
#include <vector>

namespace gym::telemetry::engine {
namespace {

using SeriesTable = EngineTest;

TEST_F(SeriesTable, IdentityIsTheFullKey) {
    count_pair("ab", "c");
    count_pair("a", "bc");
    count_pair("", "abc");
    count_pair("abc", "");
    const auto seen = values(test_row::pair);
    EXPECT_EQ(seen.size(), 4u);
    for (const auto& [key, value] : seen) EXPECT_EQ(value, 1) << key;
}

TEST_F(SeriesTable, AHashThatIsTheSameForAllMergesNothing) {
    begin({}, true);
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 100; ++i) count("value " + std::to_string(i));
    const auto seen = values(test_row::counter);
    EXPECT_EQ(seen.size(), 100u);
    for (const auto& [key, value] : seen) EXPECT_EQ(value, 2) << key;
}

TEST_F(SeriesTable, ValuesOfEveryLengthAreTold) {
    for (std::size_t size = 0; size <= 70; ++size) {
        for (std::size_t changed = 0; changed < size; ++changed) {
            std::string text(size, 'x');
            text[changed] = 'y';
            count(text);
        }
    }
    begin({.series = 0});
    std::size_t wanted = 0;
    for (std::size_t size = 1; size <= 70; ++size)
        for (std::size_t changed = 0; changed < size; ++changed, ++wanted) {
            std::string text(size, 'x');
            text[changed] = 'y';
            count(text);
        }
    EXPECT_EQ(values(test_row::counter).size(), wanted);
}

TEST_F(SeriesTable, OverflowKeepsTotals) {
    begin({.series = 2});
    for (int i = 0; i < 10; ++i) count("p" + std::to_string(i));
    count("p0");
    const auto seen = values(test_row::counter);
    EXPECT_EQ(seen.at("p0;"), 2);
    EXPECT_EQ(seen.at("p1;"), 1);
    EXPECT_EQ(seen.at("overflow"), 8);
    EXPECT_EQ(seen.size(), 3u);
    EXPECT_EQ(values(test_row::overflowed).at("counter;"), 8);
    EXPECT_EQ(source->live_cells(), 3u + 1u);  // one for the overflow, and its own count
}

TEST_F(SeriesTable, AnEmptyValueIsNotTheOverflowSeries) {
    begin({.series = 1});
    count("p");
    count("q");
    count("");
    EXPECT_EQ(values(test_row::counter),
              (std::map<std::string, std::int64_t>{{"p;", 1}, {"overflow", 2}}));
}

TEST_F(SeriesTable, RawFormsJoinTheSeriesTheyMean) {
    for (int i = 0; i < 3; ++i) {
        count("x");
        count("raw:x");
    }
    EXPECT_EQ(values(test_row::counter).at("x;"), 6);
    EXPECT_EQ(source->live_cells(), 1u);
}

TEST_F(SeriesTable, RawFormsBeyondTheirLimitStillCount) {
    begin({.series = 2000, .aliases = 2});
    const std::string_view key = "same";
    for (int i = 0; i < 5; ++i) count("raw:same");
    // Many raw forms of few series: the table holds two of them, and every record counts.
    for (int i = 0; i < 50; ++i) {
        const std::string a = "raw:" + std::to_string(i % 4);
        count(a);
        count(a);
    }
    const auto seen = values(test_row::counter);
    EXPECT_EQ(seen.at(std::string(key) + ";"), 5);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(seen.at(std::to_string(i) + ";"), i < 2 ? 26 : 24);
    EXPECT_EQ(source->live_cells(), 5u);
}

TEST_F(SeriesTable, UnknownValuesAreCountedForEachRecord) {
    const std::string_view known = "known";
    const std::string_view other = "other";
    for (int i = 0; i < 3; ++i) record(test_row::closed, increment{}, other);
    record(test_row::closed, increment{}, known);
    EXPECT_EQ(values(test_row::unknown), (std::map<std::string, std::int64_t>{{"closed;", 3}}));
}

TEST_F(SeriesTable, UnknownValuesOfTheOverflowSeriesCountToo) {
    begin({.series = 1});
    for (const std::string_view text : {"known", "other", "third"})
        record(test_row::closed, increment{}, text);
    EXPECT_EQ(values(test_row::unknown).at("closed;"), 2);
}

TEST_F(SeriesTable, GrowsWhileOthersReadItConcurrentSafe) {
    begin({.series = 0});
    constexpr int threads = 4;
    constexpr int each = 3000;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([] {
            for (int i = 0; i < each; ++i) count("series " + std::to_string(i));
        });
    for (auto& thread : all) thread.join();
    const auto seen = values(test_row::counter);
    EXPECT_EQ(seen.size(), std::size_t{each});
    for (const auto& [key, value] : seen) ASSERT_EQ(value, threads) << key;
}

}  // namespace
}  // namespace gym::telemetry::engine
