// SPDX-License-Identifier: Apache-2.0
//
// A generation over a small table of its own, in force while the fixture lives.
#pragma once

#include "engine/reader.hpp"
#include "engine/record.hpp"

#include <gym/telemetry/detail/bucket_index.hpp>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace gym::telemetry::engine {

inline constexpr std::array<double, 3> test_bounds = {250, 500, 1000};
inline constexpr gym::telemetry::detail::bucket_index<test_bounds.size()> test_bucket_of{
    test_bounds.data()};
inline constexpr std::array test_attributes = {attribute_row{"a"}};
inline constexpr std::array test_pair = {attribute_row{"a"}, attribute_row{"b"}};
inline constexpr std::array<std::string_view, 1> test_known = {"known"};
inline constexpr std::array test_closed = {
    attribute_row{.key = "closed", .rule = value_rule::closed_set, .known = test_known}};

namespace test_row {
enum : instrument_id {
    counter,
    pair,
    up_down,
    histogram,
    ratio,
    gauge,
    observed,
    closed,
    dropped,
    unknown,
    series,
    overflowed,
};
}

inline const std::array test_rows = {
    instrument_row{.name = "counter", .attributes = test_attributes},
    instrument_row{.name = "pair", .attributes = test_pair},
    instrument_row{
        .name = "up_down", .kind = instrument_kind::up_down_counter, .attributes = test_attributes},
    instrument_row{.name = "histogram",
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .bounds = test_bounds,
                   .attributes = test_attributes},
    instrument_row{.name = "ratio", .kind = instrument_kind::gauge, .how = aggregation::ratio},
    instrument_row{.name = "gauge", .kind = instrument_kind::gauge, .how = aggregation::last_value},
    instrument_row{.name = "observed",
                   .kind = instrument_kind::observable_counter,
                   .how = aggregation::observed,
                   .attributes = test_attributes},
    instrument_row{.name = "closed", .attributes = test_closed},
    instrument_row{.name = "dropped", .attributes = test_pair, .self_metric = true},
    instrument_row{.name = "unknown", .attributes = test_attributes, .self_metric = true},
    instrument_row{.name = "series",
                   .kind = instrument_kind::gauge,
                   .how = aggregation::last_value,
                   .attributes = test_attributes,
                   .self_metric = true},
    instrument_row{.name = "overflowed", .attributes = test_attributes, .self_metric = true},
};

// The rule of the test table: a value that begins with "raw:" becomes the part behind it.
inline void test_normalize(const instrument_row& row, const std::string_view* values,
                           normalized_values& to) noexcept {
    for (std::size_t i = 0; i < row.attributes.size(); ++i) {
        to.values[i] = values[i].starts_with("raw:") ? values[i].substr(4) : values[i];
        if (row.attributes[i].rule == value_rule::closed_set && to.values[i] != "known")
            to.unknown |= static_cast<std::uint8_t>(1u << i);
    }
}

inline void test_encode(const instrument_row& row, const std::string_view* values, bool overflow,
                        std::string& to) {
    for (std::size_t i = 0; i < row.attributes.size() && !overflow; ++i)
        to += std::string(values[i]) + ";";
    if (overflow) to = "overflow";
}

class EngineTest : public testing::Test {
protected:
    EngineTest() { begin({}); }
    ~EngineTest() override { end_generation(); }

    static generation_options options_with(series_limits limits) {
        generation_options options;
        options.rows = test_rows;
        options.self = {test_row::dropped, test_row::unknown, test_row::series,
                        test_row::overflowed};
        options.normalize = test_normalize;
        options.encode = test_encode;
        options.limits = limits;
        return options;
    }
    void begin(series_limits limits, bool constant_hash = false) {
        auto options = options_with(limits);
        options.constant_hash = constant_hash;
        source = std::make_shared<generation>(options);
        begin_generation(source);
        cumulative = std::make_unique<reader>(source, temporalities{});
    }

    static void count(std::string_view a) { record(test_row::counter, increment{}, a); }
    static void count_pair(std::string_view a, std::string_view b) {
        record(test_row::pair, increment{}, a, b);
    }
    static void add(std::int64_t delta, std::string_view a) {
        record(test_row::up_down, addition{delta}, a);
    }
    static void time(double value, std::string_view a) {
        record(test_row::histogram, bucketed<test_bucket_of>{value}, a);
    }

    // Encoded attributes -> value, as this reader sees them now.
    std::map<std::string, std::int64_t> values(instrument_id id) { return values(id, *cumulative); }
    static std::map<std::string, std::int64_t> values(instrument_id id, reader& by) {
        std::map<std::string, std::int64_t> result;
        for (const number_point& p : by.collect().metrics[id].numbers)
            result[std::string(p.series->encoded)] = p.integer;
        return result;
    }
    const metric_snapshot& collect(instrument_id id) { return cumulative->collect().metrics[id]; }

    std::shared_ptr<generation> source;
    std::unique_ptr<reader> cumulative;
};

}  // namespace gym::telemetry::engine
