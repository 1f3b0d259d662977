// SPDX-License-Identifier: Apache-2.0
#include "health/shape_check.hpp"

#include "health/conversions.hpp"

#include <bit>
#include <optional>
#include <string_view>

namespace gym::telemetry::health {

namespace {

constexpr std::uint32_t no_field = max_fields;

// Rows are mostly written field by field in the order of their model, so the search starts behind
// the field that was found last.
std::uint32_t find_field(const shape_field* fields, std::uint32_t count, std::uint32_t start,
                         std::string_view text) {
    const key_text key(text);
    for (std::uint32_t field = start; field < count; ++field)
        if (key.is(fields[field].name)) return field;
    for (std::uint32_t field = 0; field < start; ++field)
        if (key.is(fields[field].name)) return field;
    return no_field;
}

bool check_integer(const shape_node& node, json_value value) {
    const std::optional<wide_integer> integer = to_integer(value);
    return integer && (node.bound == no_bound || *integer >= node.bound);
}

bool check_number(const shape_node& node, json_value value) {
    const std::optional<double> number = to_number(value);
    // Written so that NaN fails a bound.
    return number && (node.bound == no_bound || *number >= node.bound);
}

}  // namespace

bool shape_checker::check(const shape_node& node, json_value value) const {
    if (value.is_null() && node.nullable) return true;
    switch (node.kind) {
        case shape_kind::any:
            return check_anything(value);
        case shape_kind::raw:
            return true;
        case shape_kind::text:
            return value.is_string();
        case shape_kind::integer:
            return check_integer(node, value);
        case shape_kind::number:
            return check_number(node, value);
        case shape_kind::boolean:
            return to_boolean(value).has_value();
        case shape_kind::list:
            return value.is_array() || value.is_object() || value.is_string();
        case shape_kind::words:
            return check_words(node, value);
        case shape_kind::array:
            return check_array(node, value);
        case shape_kind::map:
            return check_map(node, value);
        case shape_kind::object:
            return check_object(node, value);
        case shape_kind::one_of:
            for (std::uint32_t i = 0; i < node.count; ++i)
                if (check(table_.alternatives[node.first + i], value)) return true;
            return false;
    }
    return false;
}

bool shape_checker::check_anything(json_value value) const {
    if (value.is_object() || value.is_array()) observer_.on_anything(value);
    return true;
}

bool shape_checker::check_words(const shape_node& node, json_value value) const {
    if (!value.is_string()) return false;
    const key_text text(value.text());
    for (std::uint32_t i = 0; i < node.count; ++i)
        if (text.is(table_.words[node.first + i])) return true;
    return false;
}

bool shape_checker::check_array(const shape_node& node, json_value value) const {
    if (!value.is_array()) return false;
    const shape_node& element_shape = table_.nodes[node.first];
    return value.each_element([&](json_value element) { return check(element_shape, element); });
}

bool shape_checker::check_map(const shape_node& node, json_value value) const {
    if (!value.is_object()) return false;
    const shape_node& element_shape = table_.nodes[node.first];
    return value.each_member([&](std::string_view key, json_value element) {
        // Of two equal keys the last value counts; looking again is cheaper than remembering.
        return check(element_shape, element) || value.find(key).index() != element.index();
    });
}

bool shape_checker::check_object(const shape_node& node, json_value value) const {
    if (!value.is_object()) return false;
    object_fields found{.self = value};
    const shape_field* fields = table_.fields.data() + node.first;
    std::uint32_t present = 0;
    std::uint32_t expected = 0;
    for (member_cursor member(value); !member.done(); member.advance()) {
        const std::uint32_t field = find_field(fields, node.count, expected, member.key());
        if (field == no_field) {
            if (node.closed) return false;
            if (!node.drops) check_anything({value.document(), member.value_index()});
            continue;
        }
        found.at[field] = member.value_index();
        present |= 1U << field;
        expected = field + 1;
    }
    if ((present & node.required) != node.required) return false;
    if (node.hook != shape_hook::none) observer_.before_object(node.hook);
    for (std::uint32_t left = present; left != 0; left &= left - 1) {
        const auto field = static_cast<std::uint32_t>(std::countr_zero(left));
        if (!check(table_.nodes[fields[field].node], found[field])) return false;
    }
    return node.hook == shape_hook::none || observer_.on_object(node.hook, found);
}

}  // namespace gym::telemetry::health
