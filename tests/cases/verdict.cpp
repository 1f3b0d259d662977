// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include <cstdint>

namespace gym::telemetry::cases {

std::string short_number(double number) {
    const auto whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? std::to_string(whole) : std::to_string(number);
}

void expect_eq(double actual, double expected, const std::string& what) {
    require(actual == expected,
            what + " is " + short_number(actual) + ", expected " + short_number(expected));
}

void expect_le(double actual, double limit, const std::string& what) {
    require(actual <= limit,
            what + " is " + short_number(actual) + ", at most " + short_number(limit));
}

}  // namespace gym::telemetry::cases
