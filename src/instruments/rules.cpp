// SPDX-License-Identifier: Apache-2.0
#include "instruments/rules.hpp"

#include "base/utf8.hpp"
#include "instruments/catalogue.hpp"

#include <gym/telemetry/constants.hpp>

#include <algorithm>

namespace gym::telemetry::instruments {

namespace {

constexpr std::size_t max_name_bytes = 128;

bool is_namespaced(std::string_view kind) noexcept {
    const std::size_t colon = kind.find(':');
    return colon != kind.npos && is_identifier(kind.substr(0, colon)) &&
           is_identifier(kind.substr(colon + 1));
}

// White space and control characters of Unicode, of a text that is valid UTF-8. Beyond ASCII: the
// C1 controls, and every character of the categories Zs, Zl and Zp.
bool has_space_or_control(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto at = [&](std::size_t n) {
            return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0u;
        };
        const unsigned c = at(0);
        if (c <= 0x20 || c == 0x7f) return true;
        if (c == 0xc2 && (at(1) <= 0xa0)) return true;                 // U+0080..U+00A0
        if (c == 0xe1 && at(1) == 0x9a && at(2) == 0x80) return true;  // U+1680
        if (c == 0xe2 && at(1) == 0x80 &&
            (at(2) <= 0x8a || at(2) == 0xa8 || at(2) == 0xa9 || at(2) == 0xaf))
            return true;  // U+2000..200A 2028 2029 202F
        if (c == 0xe2 && at(1) == 0x81 && at(2) == 0x9f) return true;  // U+205F
        if (c == 0xe3 && at(1) == 0x80 && at(2) == 0x80) return true;  // U+3000
    }
    return false;
}

std::string_view by_rule(const engine::attribute_row& attribute, std::string_view value) noexcept {
    switch (attribute.rule) {
        case value_rule::as_given:
        case value_rule::closed_set:
            return value;
        case value_rule::name:
            return name_label(value);
        case value_rule::failure_kind:
            return failure_kind_label(value);
    }
    return value;
}

}  // namespace

bool is_identifier(std::string_view text) noexcept {
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && lower(text[0]) && std::ranges::all_of(text, [&](char c) {
        return lower(c) || (c >= '0' && c <= '9') || c == '_';
    });
}

std::string_view failure_kind_label(std::string_view kind) noexcept {
    if (kind.empty()) return kind;
    if (std::ranges::find(registered_failure_kinds, kind) != registered_failure_kinds.end() ||
        (kind.size() <= engine::max_value_bytes && is_namespaced(kind)))
        return kind;
    return unregistered_failure_kind;
}

std::string_view name_label(std::string_view name) noexcept {
    if (name.size() <= max_name_bytes &&
        (name.empty() || (detail::is_valid_utf8_and_short(name) && !has_space_or_control(name))))
        return name;
    return unregistered_failure_kind;
}

std::string_view reward_range(double reward) noexcept {
    if (reward < 0) return reward_range::negative;
    if (reward == 0) return reward_range::zero;
    if (reward < 1) return reward_range::partial;
    return reward == 1 ? reward_range::full : reward_range::above_one;
}

void normalize(const engine::instrument_row& row, const std::string_view* values,
               engine::normalized_values& to) noexcept {
    // A failure kind and type are recorded only together with a failure class.
    const bool without_class = row.attributes.data() == by_completion.data() && values[2].empty();
    for (std::size_t i = 0; i < row.attributes.size(); ++i) {
        const engine::attribute_row& attribute = row.attributes[i];
        if (attribute.type == attribute_type::boolean) {
            to.values[i] = values[i];
            continue;
        }
        to.values[i] = detail::normalize_text(by_rule(attribute, values[i]), to.room[i]);
        if (without_class && i > 2) to.values[i] = {};
        if (attribute.rule == value_rule::closed_set &&
            std::ranges::find(attribute.known, to.values[i]) == attribute.known.end())
            to.unknown |= static_cast<std::uint8_t>(1u << i);
    }
}

}  // namespace gym::telemetry::instruments
