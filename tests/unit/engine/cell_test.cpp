// SPDX-License-Identifier: Apache-2.0
#include "engine/cell.hpp"

#include <array>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry::engine {
namespace {

constexpr std::array<double, 3> bounds = {250, 500, 1000};
constexpr instrument_row row{.how = aggregation::histogram, .bounds = bounds};

class HistogramCell : public testing::Test {
protected:
    HistogramCell() { clear_cell(cell.data(), row); }
    void record(double value) { record_histogram(cell.data(), bucket_of(bounds, value), value); }
    histogram_copy read() {
        histogram_copy copy{.buckets = buckets.data()};
        EXPECT_TRUE(read_histogram(cell.data(), buckets.size(), copy));
        return copy;
    }

    std::array<word, histogram_word::buckets + 4> cell;
    std::array<std::uint64_t, 4> buckets{};
};

TEST_F(HistogramCell, BucketsIncludeTheirUpperBound) {
    for (const double value : {0.0, 250.0, 250.00000000000003, 1000.0, 1000.5}) record(value);
    const auto copy = read();
    EXPECT_EQ(copy.count, 5u);
    EXPECT_EQ(buckets, (std::array<std::uint64_t, 4>{2, 1, 1, 1}));
    EXPECT_DOUBLE_EQ(copy.sum, 0 + 250 + 250.00000000000003 + 1000 + 1000.5);
    EXPECT_EQ(copy.min, 0);
    EXPECT_EQ(copy.max, 1000.5);
}

// An owner may be stopped between any two stores of a record. Each stop is played by hand.
TEST_F(HistogramCell, AnOwnerThatStandsStillInARecordIsReadConsistently) {
    using namespace histogram_word;
    record(100);
    record(700);
    set_double(cell[sum + 1], 900);  // the third record, of 100: its sum is there,
    auto copy = read();
    EXPECT_EQ(copy.count, 2u);
    EXPECT_EQ(copy.sum, 800);
    set(cell[histogram_word::buckets], 2);  // its bucket too,
    copy = read();
    EXPECT_EQ(copy.count, 3u);
    EXPECT_EQ(copy.sum, 900);
    set(cell[count], 3);  // and its count.
    copy = read();
    EXPECT_EQ(copy.count, 3u);
    EXPECT_EQ(copy.sum, 900);
}

TEST_F(HistogramCell, ReadsWhileTheOwnerRecordsAreOfOneMomentConcurrentSafe) {
    std::atomic<bool> stop{false};
    std::thread owner([&] {
        for (int i = 0; !stop.load(std::memory_order_relaxed); ++i) record(i % 3 == 0 ? 700 : 100);
    });
    for (int i = 0; i < 20000; ++i) {
        histogram_copy copy{.buckets = buckets.data()};
        if (!read_histogram(cell.data(), buckets.size(), copy)) continue;
        const std::uint64_t total = buckets[0] + buckets[1] + buckets[2] + buckets[3];
        ASSERT_EQ(total, copy.count);
        ASSERT_EQ(copy.sum, 100.0 * double(buckets[0]) + 700.0 * double(buckets[2]));
    }
    stop = true;
    owner.join();
}

TEST(SumCell, RefusesWhatWouldLeaveTheFastRange) {
    word cell{0};
    EXPECT_TRUE(try_add(cell, 5));
    EXPECT_TRUE(try_add(cell, -7));
    EXPECT_EQ(static_cast<std::int64_t>(get(cell)), -2);
    EXPECT_FALSE(try_add(cell, std::numeric_limits<std::int64_t>::max()));
    EXPECT_FALSE(try_add(cell, std::numeric_limits<std::int64_t>::min()));
    EXPECT_EQ(static_cast<std::int64_t>(get(cell)), -2);
}

}  // namespace
}  // namespace gym::telemetry::engine
