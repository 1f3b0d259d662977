// SPDX-License-Identifier: Apache-2.0
#include "handle/setting_value.hpp"

#include "base/diagnostics.hpp"
#include "base/environment.hpp"
#include "handle/setting_table.hpp"

#include <array>
#include <charconv>

namespace gym::telemetry::detail {

std::string variable_of(std::string_view prefix, std::string_view key) {
    std::string name(prefix);
    for (const char c : key) {
        name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return name;
}

template <>
std::optional<bool> value_of_text<bool>(std::string_view text) {
    return parse_boolean(text);
}

template <>
std::optional<std::int64_t> value_of_text<std::int64_t>(std::string_view text) {
    const std::optional<std::int64_t> value = parse_integer(text);
    if (!value || *value < 0 || *value > setting_integer_max) return std::nullopt;
    return value;
}

template <>
std::optional<double> value_of_text<double>(std::string_view text) {
    const std::optional<double> value = parse_number(text);
    return value && *value > 0 ? value : std::nullopt;
}

template <>
std::optional<std::string> value_of_text<std::string>(std::string_view text) {
    return std::string(trim(text));
}

template <>
std::optional<std::vector<std::string>> value_of_text<std::vector<std::string>>(
    std::string_view text) {
    return parse_list(text);
}

std::string text_of_value(bool value) {
    return value ? "1" : "0";
}

std::string text_of_value(std::int64_t value) {
    return std::to_string(value);
}

std::string text_of_value(double value) {
    std::array<char, 32> buffer;
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), written.ptr};
}

std::string text_of_value(const std::string& value) {
    return value;
}

std::string text_of_value(const std::vector<std::string>& value) {
    return join(value);
}

template <>
std::string_view kind_of_value<bool>() {
    return "a boolean (1, true, yes, on, 0, false, no, off)";
}

template <>
std::string_view kind_of_value<std::int64_t>() {
    return "a whole number from 0 to 1000000000000";
}

template <>
std::string_view kind_of_value<double>() {
    return "a number above 0";
}

template <>
std::string_view kind_of_value<std::string>() {
    return "a text";
}

template <>
std::string_view kind_of_value<std::vector<std::string>>() {
    return "a list of texts";
}

std::string shown(std::string_view value) {
    constexpr std::size_t shown_max = 200;
    if (value.size() <= shown_max) return "'" + std::string(value) + "'";
    std::size_t end = shown_max;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;
    return "'" + std::string(value.substr(0, end)) + "...'";
}

void complain_unreadable(std::string_view name, std::string_view value, std::string_view is_not,
                         std::string_view used_instead) {
    complain_about(
        name, value,
        shown(value) + " is not " + std::string(is_not) + "; " +
            (used_instead.empty() ? "it is ignored" : std::string(used_instead) + " is used"));
}

void complain_about(std::string_view name, std::string_view value, std::string_view what) {
    // The value is part of the subject: another one, after a second init, is another complaint.
    diagnose("config.value", std::string(name) + ": " + std::string(what),
             std::string(name) + '=' + std::string(value));
}

}  // namespace gym::telemetry::detail
