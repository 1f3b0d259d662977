// SPDX-License-Identifier: Apache-2.0
//
// How an instrument is described to the engine. THE table of them is src/instruments/catalogue.hpp.
#pragma once

#include <gym/telemetry/collection.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace gym::telemetry::engine {

// Attributes of one instrument at most: as many lengths fit beside the hash in a series key.
inline constexpr std::size_t max_attributes = 6;
// Bytes of one recorded attribute value at most.
inline constexpr std::size_t max_value_bytes = 1024;

enum class attribute_type : std::uint8_t { text, boolean };

// What is done to a value before it becomes part of a series, beyond UTF-8 and length.
enum class value_rule : std::uint8_t {
    as_given,
    closed_set,    // as given; one that is not in `known` is counted as unknown
    name,          // at most 128 bytes without white space or control characters, or unregistered
    failure_kind,  // registered or <server>:<kind>, or unregistered
};

struct attribute_row {
    std::string_view key{};
    attribute_type type = attribute_type::text;
    // An empty optional value is absent; an empty required one is the empty string.
    bool optional = false;
    value_rule rule = value_rule::as_given;
    std::span<const std::string_view> known{};
};

// How records become points.
enum class aggregation : std::uint8_t {
    sum,         // int64, a cell a thread
    histogram,   // explicit bounds, a cell a thread
    ratio,       // gauge: numerator over denominator, a cell a thread
    last_value,  // gauge: one double, shared, the last store wins
    observed,    // the value that a callback reports at collection
};

struct instrument_row {
    std::string_view name{};
    instrument_kind kind = instrument_kind::counter;
    aggregation how = aggregation::sum;
    std::string_view unit{};
    std::string_view description{};
    std::span<const double> bounds{};
    std::span<const attribute_row> attributes{};
    std::string_view recorder{};  // signature on the API page, for the documentation
    bool extension = false;       // not on the API page
    bool self_metric = false;     // about telemetry itself
};

using instrument_id = std::uint16_t;

}  // namespace gym::telemetry::engine
