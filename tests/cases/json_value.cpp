// SPDX-License-Identifier: Apache-2.0
#include "json_value.hpp"

#include "verdict.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <simdjson.h>

namespace gym::telemetry::cases {

namespace {

namespace ondemand = simdjson::ondemand;

std::string_view trimmed(std::string_view token) {
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
        token.remove_suffix(1);
    return token;
}

template <class Value>
json_value read(Value&& from) {
    json_value to;
    switch (from.type().value()) {
        case ondemand::json_type::object:
            to.is = json_value::type::object;
            for (auto field : from.get_object()) {
                std::string key(field.unescaped_key(true).value());
                to.members.emplace_back(std::move(key), read(field.value().value()));
            }
            break;
        case ondemand::json_type::array:
            to.is = json_value::type::array;
            for (auto item : from.get_array()) to.items.push_back(read(item.value()));
            break;
        case ondemand::json_type::string:
            to.is = json_value::type::text;
            to.text = std::string_view(from.get_wobbly_string().value());
            break;
        case ondemand::json_type::number:
            // The token as it stands: the parser's own numbers end at 64 bits.
            to.is = json_value::type::number;
            to.text = trimmed(from.raw_json_token());
            break;
        case ondemand::json_type::boolean:
            to.is = json_value::type::boolean;
            to.flag = from.get_bool().value();
            break;
        default:
            if (!from.is_null().value()) throw failure("neither a JSON value nor null");
    }
    return to;
}

void write(const json_value& value, std::string& to) {
    switch (value.is) {
        case json_value::type::null:
            to += "null";
            break;
        case json_value::type::boolean:
            to += value.flag ? "true" : "false";
            break;
        case json_value::type::number:
            to += value.text;
            break;
        case json_value::type::text:
            to += json_text(value.text);
            break;
        case json_value::type::array:
            to += '[';
            for (const json_value& item : value.items) {
                if (&item != value.items.data()) to += ',';
                write(item, to);
            }
            to += ']';
            break;
        case json_value::type::object:
            to += '{';
            for (const auto& member : value.members) {
                if (&member != value.members.data()) to += ',';
                to += json_text(member.first) + ':';
                write(member.second, to);
            }
            to += '}';
    }
}

}  // namespace

const json_value* json_value::find(std::string_view name) const {
    const json_value* found = nullptr;
    for (const auto& [key, value] : members)
        if (key == name) found = &value;
    return found;
}

json_value parse_json(std::string_view text) {
    constexpr std::size_t max_depth = 4096;
    const simdjson::padded_string padded(text);
    ondemand::parser parser;
    try {
        if (const auto error = parser.allocate(padded.size(), max_depth))
            throw simdjson::simdjson_error(error);
        ondemand::document document = parser.iterate(padded);
        json_value value;
        if (document.is_scalar()) {
            if (document.type() != ondemand::json_type::string)
                throw failure("a case is an object");
            value.is = json_value::type::text;
            value.text = std::string_view(document.get_wobbly_string());
        } else {
            value = read(document.get_value().value());
        }
        if (!document.at_end()) throw failure("text after the JSON value");
        return value;
    } catch (const simdjson::simdjson_error& error) {
        throw failure(std::string("not JSON: ") + error.what());
    }
}

std::string json_text(std::string_view text) {
    std::string to = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            (to += '\\') += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            to += escape;
        } else {
            to += c;
        }
    }
    return to += '"';
}

bool same_json(const json_value& a, const json_value& b) {
    if (a.is != b.is || a.flag != b.flag) return false;
    if (a.is_number())
        return a.text == b.text ||
               std::strtod(a.text.c_str(), nullptr) == std::strtod(b.text.c_str(), nullptr);
    if (a.text != b.text || a.items.size() != b.items.size()) return false;
    for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!same_json(a.items[i], b.items[i])) return false;
    const auto is_in = [](const json_value& object) {
        return [&object](const auto& member) {
            const json_value* other = object.find(member.first);
            return other && same_json(member.second, *other);
        };
    };
    return std::ranges::all_of(a.members, is_in(b)) && std::ranges::all_of(b.members, is_in(a));
}

std::string to_json(const json_value& value) {
    std::string to;
    write(value, to);
    return to;
}

}  // namespace gym::telemetry::cases
