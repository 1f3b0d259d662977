// SPDX-License-Identifier: Apache-2.0
//
// What one collection saw, as plain values: for tests, for replay, and for exporters of one's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gym::telemetry {

enum class instrument_kind : std::uint8_t {
    counter,
    up_down_counter,
    observable_counter,
    gauge,
    histogram,
};

// Cumulative: since the start of the generation. Delta: since this reader's collection before.
// Up-down counters and gauges are always cumulative, as the OpenTelemetry specification says.
enum class temporality : std::uint8_t { cumulative, delta };

using attribute_value = std::variant<std::string, bool>;

struct histogram_value {
    std::vector<double> bounds;                // upper edges, inclusive
    std::vector<std::uint64_t> bucket_counts;  // one more than bounds
    std::uint64_t count = 0;                   // always the sum of bucket_counts
    double sum = 0;                            // of the same records as bucket_counts
    // Since the start. Left out in delta, where they would cost the recording path.
    std::optional<double> min;
    std::optional<double> max;
};

struct point {
    std::string instrument;
    instrument_kind kind = instrument_kind::counter;
    std::string unit;
    std::vector<std::pair<std::string, attribute_value>> attributes;
    std::variant<std::int64_t, double, histogram_value> value;
};

struct collection {
    std::int64_t start_time_ns = 0;  // wall clock, since the epoch
    std::int64_t time_ns = 0;
    std::vector<point> points;
};

}  // namespace gym::telemetry
