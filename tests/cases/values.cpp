// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include "verdict.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace gym::telemetry::cases {

namespace {

// The only member's value when the object is the form `name`.
const json_value* form(const json_value& value, std::string_view name) {
    if (!value.is_object() || value.members.size() != 1) return nullptr;
    return value.find(name);
}

bool is_integer_text(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::optional<double> parse_double(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
        // Too large is infinite, too small is zero; the exponent's sign tells them apart.
        const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos;
        const double magnitude = small ? 0.0 : std::numeric_limits<double>::infinity();
        return text.starts_with('-') ? -magnitude : magnitude;
    }
    if (error != std::errc()) return std::nullopt;
    return value;
}

std::string_view integer_text(const json_value& value) {
    const json_value* big = form(value, "$big");
    return big ? big->text : value.text;
}

}  // namespace

bool is_text_form(const json_value& value) {
    if (value.is_text()) return true;
    if (const json_value* bytes = form(value, "$bytes")) return bytes->is_text();
    if (const json_value* repeat = form(value, "$repeat"))
        return repeat->is_array() && repeat->items.size() == 2 && is_text_form(repeat->items[0]) &&
               is_int_form(repeat->items[1]);
    if (const json_value* parts = form(value, "$concat")) {
        if (!parts->is_array()) return false;
        for (const json_value& part : parts->items)
            if (!is_text_form(part)) return false;
        return true;
    }
    return false;
}

bool is_int_form(const json_value& value) {
    if (const json_value* big = form(value, "$big"))
        return big->is_text() && is_integer_text(big->text);
    if (!value.is_number()) return false;
    if (is_integer_text(value.text)) return true;
    const auto number = parse_double(value.text);  // 1.0 is an integer in JSON
    return number && std::isfinite(*number) && std::trunc(*number) == *number;
}

bool is_num_form(const json_value& value) {
    if (const json_value* real = form(value, "$f"))
        return real->is_text() && parse_double(real->text).has_value();
    return value.is_number() || is_int_form(value);
}

std::string base64_decoded(std::string_view text) {
    static constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string to;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=') break;
        const std::size_t digit = alphabet.find(c);
        require(digit != alphabet.npos, "not base64: " + std::string(text));
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            to += static_cast<char>(bits >> count & 0xff);
        }
    }
    return to;
}

std::string text_of(const json_value& value) {
    if (value.is_text()) return value.text;
    if (const json_value* bytes = form(value, "$bytes")) return base64_decoded(bytes->text);
    std::string to;
    if (const json_value* repeat = form(value, "$repeat")) {
        const std::string piece = text_of(repeat->items[0]);
        const std::int64_t times = int64_of(repeat->items[1]);
        to.reserve(piece.size() * static_cast<std::size_t>(times));
        for (std::int64_t i = 0; i < times; ++i) to += piece;
        return to;
    }
    const json_value* parts = form(value, "$concat");
    require(parts != nullptr, "not a form of text: " + to_json(value));
    for (const json_value& part : parts->items) to += text_of(part);
    return to;
}

std::string text_or_empty(const json_value* value) {
    return value == nullptr || value->is_null() ? std::string() : text_of(*value);
}

big_integer integer_of(const json_value& value) {
    const std::string_view text = integer_text(value);
    if (!is_integer_text(text)) {
        const double number = number_of(value);
        if (number < -0x1p63) return {std::numeric_limits<std::int64_t>::min(), true};
        if (number >= 0x1p63) return {std::numeric_limits<std::uint64_t>::max(), true};
        return {static_cast<std::int64_t>(number)};
    }
    const char* end = text.data() + text.size();
    std::int64_t narrow = 0;
    if (std::from_chars(text.data(), end, narrow).ec == std::errc()) return {narrow};
    if (text.starts_with('-')) return {std::numeric_limits<std::int64_t>::min(), true};
    std::uint64_t wide = 0;
    if (std::from_chars(text.data(), end, wide).ec == std::errc()) return {wide};
    return {std::numeric_limits<std::uint64_t>::max(), true};
}

std::int64_t int64_of(const json_value& value) {
    const big_integer integer = integer_of(value);
    const auto* narrow = std::get_if<std::int64_t>(&integer.value);
    require(narrow != nullptr && !integer.beyond, "beyond int64: " + to_json(value));
    return *narrow;
}

double number_of(const json_value& value) {
    const json_value* real = form(value, "$f");
    const auto number = parse_double(real ? std::string_view(real->text) : integer_text(value));
    require(number.has_value(), "not a number: " + to_json(value));
    return *number;
}

std::optional<std::int64_t> exact_int64_of(const json_value& value) {
    if (is_int_form(value)) {
        const big_integer integer = integer_of(value);
        const auto* narrow = std::get_if<std::int64_t>(&integer.value);
        return narrow && !integer.beyond ? std::optional(*narrow) : std::nullopt;
    }
    const double number = number_of(value);
    // 2^63 itself is no int64.
    if (!(number >= -0x1p63 && number < 0x1p63) || std::trunc(number) != number)
        return std::nullopt;
    return static_cast<std::int64_t>(number);
}

json_value expanded(const json_value& value) {
    json_value to = value;
    if (value.is_object() && is_text_form(value)) {
        to = {.is = json_value::type::text, .text = text_of(value), .items = {}, .members = {}};
    } else if (value.is_object() && is_num_form(value)) {
        const json_value* real = form(value, "$f");
        to = {.is = json_value::type::number,
              .text = real ? real->text : form(value, "$big")->text,
              .items = {},
              .members = {}};
        if (real && std::isnan(number_of(value))) to.text = "NaN";
        if (real && std::isinf(number_of(value)))
            to.text = number_of(value) > 0 ? "1e999" : "-1e999";
        if (to.text == "-0") to.text = "-0.0";
    } else {
        for (json_value& item : to.items) item = expanded(item);
        for (auto& member : to.members) member.second = expanded(member.second);
    }
    return to;
}

std::string from_template(std::string_view pattern, std::int64_t i) {
    const std::size_t open = pattern.find("{i");
    const std::size_t close = open == pattern.npos ? open : pattern.find('}', open);
    require(close != pattern.npos, "no {i} in the template " + std::string(pattern));
    std::int64_t number = i;
    const std::string_view inside = pattern.substr(open + 2, close - open - 2);
    if (!inside.empty()) {
        std::int64_t by = 0;
        const auto [end, error] =
            std::from_chars(inside.data() + 1, inside.data() + inside.size(), by);
        require(inside.front() == '%' && error == std::errc() && by > 0 &&
                    end == inside.data() + inside.size(),
                "not a template: " + std::string(pattern));
        number %= by;
    }
    std::string to(pattern.substr(0, open));
    to += std::to_string(number);
    to += pattern.substr(close + 1);
    return to;
}

check_list checks_of(const json_value& value) {
    check_list to;
    const json_value* once = value.find("$once");
    for (const json_value& name : (once ? *once : value).items) to.names.push_back(text_of(name));
    const json_value* raises = value.find("$raises_at_end");
    to.raises = raises != nullptr && raises->flag;
    return to;
}

}  // namespace gym::telemetry::cases
