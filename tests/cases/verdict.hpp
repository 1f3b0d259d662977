// SPDX-License-Identifier: Apache-2.0
//
// How a case ends other than well.
#pragma once

#include <stdexcept>
#include <string>

namespace gym::telemetry::cases {

// The case does not hold, or says something that this program does not know.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The case asks for something that the product does not carry.
struct skip : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void require(bool holds, const std::string& reason) {
    if (!holds) throw failure(reason);
}

// Without a fraction where it has none.
std::string short_number(double number);
void expect_eq(double actual, double expected, const std::string& what);
void expect_le(double actual, double limit, const std::string& what);

}  // namespace gym::telemetry::cases
