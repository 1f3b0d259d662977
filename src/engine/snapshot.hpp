// SPDX-License-Identifier: Apache-2.0
//
// What a collection found, as plain structs that point into memory of the generation and of the
// reader: good until the reader collects again, while the reader lives.
#pragma once

#include "engine/series_table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gym::telemetry::engine {

struct number_point {
    const series_entry* series;
    union {
        std::int64_t integer;  // sums
        double real;           // gauges
    };
};

struct histogram_point {
    const series_entry* series;
    std::uint64_t count;
    double sum;
    double min;  // only where metric_snapshot::has_min_max
    double max;
    const std::uint64_t* buckets;  // bounds + 1
};

struct metric_snapshot {
    const instrument_row* instrument = nullptr;
    instrument_id id = 0;
    temporality time = temporality::cumulative;
    bool has_min_max = false;
    std::int64_t start_time_ns = 0;  // of every point
    std::vector<number_point> numbers;
    std::vector<histogram_point> histograms;
};

struct snapshot {
    std::int64_t start_time_ns = 0;  // of the generation
    std::int64_t time_ns = 0;
    std::vector<metric_snapshot> metrics;  // one a row of the table, with points or without
};

}  // namespace gym::telemetry::engine
