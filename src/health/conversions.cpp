// SPDX-License-Identifier: Apache-2.0
#include "health/conversions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace gym::telemetry::health {

namespace {

constexpr std::size_t max_integer_digits = 4300;  // Python's limit for text to integer
constexpr wide_integer largest = static_cast<wide_integer>(1) << 100;

// White space beyond ASCII, in UTF-8.
constexpr std::array<std::string_view, 19> wide_spaces{
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
    "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
    "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
    "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};

bool ascii_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t leading_space(std::string_view text) {
    if (ascii_space(text.front())) return 1;
    for (std::string_view space : wide_spaces)
        if (text.starts_with(space)) return space.size();
    return 0;
}

std::size_t trailing_space(std::string_view text) {
    if (ascii_space(text.back())) return 1;
    for (std::string_view space : wide_spaces)
        if (text.ends_with(space)) return space.size();
    return 0;
}

bool lone_underscores(std::string_view text) {
    return !text.starts_with('_') && !text.ends_with('_') &&
           text.find("__") == std::string_view::npos;
}

// `digits`, with single underscores between them allowed.
std::optional<wide_integer> magnitude(std::string_view digits) {
    if (digits.empty() || !lone_underscores(digits)) return std::nullopt;
    wide_integer value = 0;
    std::size_t significant = 0;
    for (char c : digits) {
        if (c == '_') continue;
        if (!digit(c)) return std::nullopt;
        if (c != '0' || significant > 0) ++significant;
        value = value > (largest - 9) / 10 ? largest : value * 10 + (c - '0');
    }
    if (significant > max_integer_digits) return std::nullopt;
    return value;
}

std::optional<wide_integer> parse_integer(std::string_view text) {
    text = trim_white_space(text);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    if (point != std::string_view::npos) {
        const std::string_view fraction = text.substr(point + 1);
        if (fraction.empty() || fraction.find_first_not_of('0') != std::string_view::npos)
            return std::nullopt;
        text = text.substr(0, point);
    }
    const auto value = magnitude(text);
    if (!value) return std::nullopt;
    return negative ? -*value : *value;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() &&
           std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
           });
}

// [digits][.[digits]][e[sign]digits] with at least one digit in front of the exponent.
bool decimal(std::string_view text) {
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t start = at;
        while (at < text.size() && digit(text[at])) ++at;
        return at - start;
    };
    std::size_t mantissa = digits();
    if (at < text.size() && text[at] == '.') {
        ++at;
        mantissa += digits();
    }
    if (mantissa == 0) return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (digits() == 0) return false;
    }
    return at == text.size();
}

double decimal_value(std::string_view text) {
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc::result_out_of_range) return value;
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos
                          ? text.substr(exponent + 1).front() == '-'
                          : text.front() == '0' || text.front() == '.';
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}

std::optional<double> parse_plain_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity")) {
        value = std::numeric_limits<double>::infinity();
    } else if (equals_ignoring_case(text, "nan")) {
        value = std::numeric_limits<double>::quiet_NaN();
    } else if (decimal(text)) {
        value = decimal_value(text);
    } else {
        return std::nullopt;
    }
    return negative ? -value : value;
}

std::optional<double> parse_number(std::string_view text) {
    if (const auto value = parse_plain_number(trim_white_space(text))) return value;
    // Underscores: between any two characters, but then no white space around.
    if (text.find('_') == std::string_view::npos || !lone_underscores(text)) return std::nullopt;
    std::string stripped(text);
    std::erase(stripped, '_');
    return parse_plain_number(stripped);
}

}  // namespace

std::string_view trim_white_space(std::string_view text) {
    while (!text.empty()) {
        const std::size_t space = leading_space(text);
        if (space == 0) break;
        text.remove_prefix(space);
    }
    while (!text.empty()) {
        const std::size_t space = trailing_space(text);
        if (space == 0) break;
        text.remove_suffix(space);
    }
    return text;
}

std::optional<wide_integer> to_integer(json_value value) {
    switch (value.kind()) {
        case 'l':
        case 'u':
            return value.integer();
        case 't':
            return 1;
        case 'f':
            return 0;
        case 'd': {
            const double number = value.number();
            if (std::trunc(number) != number || std::fabs(number) >= 0x1p63) return std::nullopt;
            return static_cast<wide_integer>(number);
        }
        case '"':
            return parse_integer(value.text());
        default:
            return std::nullopt;
    }
}

std::optional<double> to_number(json_value value) {
    switch (value.kind()) {
        case 'l':
        case 'u':
        case 'd':
            return value.number();
        case 't':
            return 1.0;
        case 'f':
            return 0.0;
        case '"':
            return parse_number(value.text());
        default:
            return std::nullopt;
    }
}

std::optional<bool> to_boolean(json_value value) {
    constexpr std::array<std::string_view, 6> yes{"1", "true", "t", "yes", "y", "on"};
    constexpr std::array<std::string_view, 6> no{"0", "false", "f", "no", "n", "off"};
    switch (value.kind()) {
        case 't':
            return true;
        case 'f':
            return false;
        case 'l':
        case 'u':
        case 'd':
            if (value.number() == 0) return false;
            if (value.number() == 1) return true;
            return std::nullopt;
        case '"': {
            const auto is = [&](std::string_view word) {
                return equals_ignoring_case(value.text(), word);
            };
            if (std::any_of(yes.begin(), yes.end(), is)) return true;
            if (std::any_of(no.begin(), no.end(), is)) return false;
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

}  // namespace gym::telemetry::health
