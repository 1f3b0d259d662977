// SPDX-License-Identifier: Apache-2.0
//
// A JSON value as the cases need it: numbers keep their text (they may be of any size), members
// keep their order, texts may hold any bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::cases {

struct json_member;

struct json_value {
    enum class type : std::uint8_t { null, boolean, number, text, array, object };

    type is = type::null;
    bool flag = false;
    std::string text{};  // of a text, unescaped; of a number, as it stands
    std::vector<json_value> items;
    std::vector<json_member> members;

    bool is_null() const { return is == type::null; }
    bool is_text() const { return is == type::text; }
    bool is_number() const { return is == type::number; }
    bool is_array() const { return is == type::array; }
    bool is_object() const { return is == type::object; }

    // The last member of this name; null when there is none, or when this is no object.
    const json_value* find(std::string_view name) const;
};

// No std::pair: clang asks it for traits of a json_value that is not complete yet.
struct json_member {
    json_member(std::string name, json_value value)
        : first(std::move(name)), second(std::move(value)) {}
    std::string first;
    json_value second;
};

// Throws failure when the text is no JSON value.
json_value parse_json(std::string_view text);

// Compact; numbers as they stood. A text that is not UTF-8 is written as it is.
std::string to_json(const json_value& value);
std::string json_text(std::string_view text);

// Whether two values mean the same: numbers by value, members in any order.
bool same_json(const json_value& a, const json_value& b);

}  // namespace gym::telemetry::cases
