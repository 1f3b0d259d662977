// SPDX-License-Identifier: Apache-2.0
//
// The values of the cases, those that JSON cannot carry included. Each function expects what the
// type check let through.
#pragma once

#include "json_value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gym::telemetry::cases {

// Whether a value is of the type `text`, `int` or `num` of the vocabulary, in any of their forms.
bool is_text_form(const json_value& value);
bool is_int_form(const json_value& value);
bool is_num_form(const json_value& value);

// A string, $bytes, $repeat, $concat.
std::string text_of(const json_value& value);
// The same for `text/null`; null and absent are empty.
std::string text_or_empty(const json_value* value);

// An integer as wide as C++ has them, or how it lies beyond.
struct big_integer {
    std::variant<std::int64_t, std::uint64_t> value;
    bool beyond = false;  // `value` is the nearest there is
};
big_integer integer_of(const json_value& value);
// Throws failure when it is no int64.
std::int64_t int64_of(const json_value& value);

// A number, $f or $big, rounded to double.
double number_of(const json_value& value);
// A number that an int64 holds exactly.
std::optional<std::int64_t> exact_int64_of(const json_value& value);

// A copy in which the forms are JSON again: numbers beyond double by their text, NaN as the word.
json_value expanded(const json_value& value);

std::string base64_decoded(std::string_view text);

// {i} and {i%M}: the number of the call, or its remainder.
std::string from_template(std::string_view pattern, std::int64_t i);

// The names of a check list; `raises` when walking it throws after the last one.
struct check_list {
    std::vector<std::string> names;
    bool raises = false;
};
check_list checks_of(const json_value& value);

}  // namespace gym::telemetry::cases
