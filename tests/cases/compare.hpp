// SPDX-License-Identifier: Apache-2.0
//
// Points as collected against points as expected.
#pragma once

#include "json_value.hpp"

#include <gym/telemetry/collection.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

// The kind of this name, which the type check let through.
instrument_kind kind_of(std::string_view name);
std::string_view name_of(instrument_kind kind);

// Without the project's own gym.telemetry.* and the instruments that its table marks as extensions.
std::vector<point> without_own(const std::vector<point>& points);

struct comparison {
    double tolerance = 0;           // absolute, for sum, min and max
    bool min_max_optional = false;  // a delta point may leave them out
};

// Throws failure, naming the first difference, unless the points are exactly these, in any order.
void compare_points(const std::vector<point>& actual, const json_value& expected,
                    const comparison& how);

// Whether the attributes are exactly these, types included.
bool same_attributes(const point& actual, const json_value& expected);

// What a series counts for: the value of a number, the count of a histogram.
double value_of(const point& p);
const histogram_value* histogram_of(const point& p);

std::string shown(const point& p);

}  // namespace gym::telemetry::cases
