// SPDX-License-Identifier: Apache-2.0
//
// A generation over the real table, in force while the fixture lives, without a handle.
#pragma once

#include "engine/reader.hpp"
#include "engine/threads.hpp"
#include "instruments/catalogue.hpp"
#include "instruments/rules.hpp"

#include <gym/telemetry/bound.hpp>
#include <gym/telemetry/recorders.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace gym::telemetry {

class InstrumentsTest : public testing::Test {
protected:
    InstrumentsTest() { begin(); }
    ~InstrumentsTest() override { engine::end_generation(); }

    void begin(std::size_t series_limit = 2000) {
        using instruments::id_of;
        engine::generation_options options;
        options.rows = instruments::catalogue;
        options.self = {.dropped = id_of("gym.telemetry.dropped_total"),
                        .unknown = id_of("gym.telemetry.unknown_value_total"),
                        .series = id_of("gym.telemetry.series"),
                        .overflowed = id_of("gym.telemetry.overflowed_total")};
        options.normalize = instruments::normalize;
        options.encode = encode;
        options.limits.series = series_limit;
        source = std::make_shared<engine::generation>(options);
        engine::begin_generation(source);
        reader = std::make_unique<engine::reader>(source, engine::temporalities{});
    }

    // Values of the attributes joined by | -> value, of a histogram its count.
    std::map<std::string, double> seen(std::string_view instrument) {
        std::map<std::string, double> result;
        const std::size_t id = instruments::find_row(instrument);
        const auto& metric = reader->collect().metrics.at(id);
        for (const auto& p : metric.numbers)
            result[std::string(p.series->encoded)] =
                metric.instrument->kind == instrument_kind::gauge ? p.real
                                                                  : static_cast<double>(p.integer);
        for (const auto& p : metric.histograms)
            result[std::string(p.series->encoded)] = static_cast<double>(p.count);
        return result;
    }

    std::shared_ptr<engine::generation> source;
    std::unique_ptr<engine::reader> reader;

private:
    static void encode(const engine::instrument_row& row, const std::string_view* values,
                       bool overflow, std::string& to) {
        if (overflow) to = "overflow";
        for (std::size_t i = 0; i < row.attributes.size() && !overflow; ++i) {
            if (i > 0) to += '|';
            if (row.attributes[i].type == engine::attribute_type::boolean)
                to += values[i] == std::string_view("\1", 1) ? "true" : "false";
            else
                to += values[i];
        }
    }
};

}  // namespace gym::telemetry
