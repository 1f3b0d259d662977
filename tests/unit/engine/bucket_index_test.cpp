// SPDX-License-Identifier: Apache-2.0
#include "instruments/record.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry::instruments {
namespace {

// Each bound and its neighbours, each power of two and its quarters, and both ends.
std::vector<double> telling_values(std::span<const double> bounds) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> values = {0, std::numeric_limits<double>::denorm_min(),
                                  std::numeric_limits<double>::max(), infinity};
    const auto add_around = [&](double value) {
        for (const double at : {std::nextafter(value, 0.0), value, std::nextafter(value, infinity)})
            values.push_back(at);
    };
    for (const double bound : bounds) add_around(bound);
    for (int exponent = -40; exponent < 60; ++exponent)
        for (int quarter = 4; quarter < 8; ++quarter) add_around(std::ldexp(quarter, exponent - 2));
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponents(-20, 40);
    for (int i = 0; i < 10000; ++i) values.push_back(std::exp2(exponents(random)));
    return values;
}

template <engine::instrument_id Id>
std::size_t expect_same_as_counting() {
    constexpr auto& row = catalogue[Id];
    if constexpr (row.how != aggregation::histogram || row.self_metric) {
        return 0;
    } else {
        for (const double value : telling_values(row.bounds))
            EXPECT_EQ(detail::bucket_of<Id>(value), engine::bucket_of(row.bounds, value))
                << row.name << ' ' << value;
        return 1;
    }
}

TEST(BucketIndex, AgreesWithCountingTheBoundsOfEveryHistogram) {
    const auto count = []<std::size_t... Ids>(std::index_sequence<Ids...>) {
        return (expect_same_as_counting<Ids>() + ...);
    }(std::make_index_sequence<catalogue.size()>());
    EXPECT_GE(count, 9u);
}

}  // namespace
}  // namespace gym::telemetry::instruments
