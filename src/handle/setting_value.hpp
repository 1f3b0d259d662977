// SPDX-License-Identifier: Apache-2.0
//
// The values of settings as texts, both ways, and the complaints about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::detail {

// A time of 30 years: in nanoseconds it still fits in 64 bits when it is added to now.
inline constexpr std::int64_t setting_integer_max = 1'000'000'000'000;

// Reads a text as a value of type T: bool, std::int64_t (0 to setting_integer_max), double (above
// 0), std::string, std::vector<std::string> (a comma list). None when it cannot be read.
template <class T>
std::optional<T> value_of_text(std::string_view text);

// As it stands in a variable, such that value_of_text gives the same value again.
std::string text_of_value(bool value);
std::string text_of_value(std::int64_t value);
std::string text_of_value(double value);
std::string text_of_value(const std::string& value);
std::string text_of_value(const std::vector<std::string>& value);

// What a value of that type is called in a complaint: "a boolean".
template <class T>
std::string_view kind_of_value();

// The value as a complaint shows it: in quotes, cut when it is long.
std::string shown(std::string_view value);

// "NAME: 'value' is not a boolean; false is used". `name` is a variable or a key of the block.
void complain_unreadable(std::string_view name, std::string_view value, std::string_view is_not,
                         std::string_view used_instead);

// "NAME: <what>" about this value.
void complain_about(std::string_view name, std::string_view value, std::string_view what);

}  // namespace gym::telemetry::detail
