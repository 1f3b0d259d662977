// SPDX-License-Identifier: Apache-2.0
#include "health/conversation_item.hpp"

#include "health/content.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gym::telemetry::health {

namespace {

// In the order of the shape `item`.
enum item_field : std::size_t {
    type,
    role,
    content,
    status,
    id,
    arguments,
    name,
    call_id,
    output,
    summary,
    prompt_token_ids,
    generation_token_ids,
    generation_log_probs,
    routed_experts,
};

enum message_kind : std::size_t {
    easymessage,
    inputmessage,
    outputmessage,
    mcp_list_tools,
    mcp_call,
    function_call,
    function_call_output,
    reasoning,
};

constexpr std::array<std::string_view, 26> item_types{"function_call",
                                                      "function_call_output",
                                                      "reasoning",
                                                      "mcp_call",
                                                      "mcp_list_tools",
                                                      "mcp_approval_request",
                                                      "file_search_call",
                                                      "web_search_call",
                                                      "computer_call",
                                                      "image_generation_call",
                                                      "code_interpreter_call",
                                                      "local_shell_call",
                                                      "custom_tool_call",
                                                      "computer_call_output",
                                                      "custom_tool_call_output",
                                                      "local_shell_call_output",
                                                      "mcp_approval_response",
                                                      "apply_patch_call",
                                                      "apply_patch_call_output",
                                                      "compaction",
                                                      "shell_call",
                                                      "shell_call_output",
                                                      "tool_search_call",
                                                      "tool_search_output",
                                                      "compaction_trigger",
                                                      "additional_tools"};
constexpr std::array<std::string_view, 3> simple_roles{"user", "system", "developer"};
constexpr std::array<std::string_view, 3> item_statuses{"in_progress", "completed", "incomplete"};

item_shape shape_of(message_kind kind) {
    static const std::array<std::uint16_t, 8> nodes{shapes().named("easymessage"),
                                                    shapes().named("inputmessage"),
                                                    shapes().named("outputmessage"),
                                                    shapes().named("mcp_list_tools"),
                                                    shapes().named("mcp_call"),
                                                    shapes().named("function_call"),
                                                    shapes().named("function_call_output"),
                                                    shapes().named("reasoning")};
    return {item_shape::verdict::known, nodes[kind]};
}

item_shape shape_of_type(std::string_view wanted) {
    static const auto nodes = [] {
        std::array<std::uint16_t, item_types.size()> found{};
        for (std::size_t i = 0; i < item_types.size(); ++i)
            found[i] = shapes().named(item_types[i]);
        return found;
    }();
    for (std::size_t i = 0; i < item_types.size(); ++i)
        if (item_types[i] == wanted) return {item_shape::verdict::known, nodes[i]};
    return {};
}

// Raised where the original looks a value that cannot be hashed up in a set.
struct unhashable {};

bool unhashable_value(json_value value) {
    return value && (value.is_array() || value.is_object());
}

template <std::size_t Size>
bool looked_up_in(const std::array<std::string_view, Size>& words, json_value value) {
    if (unhashable_value(value)) throw unhashable{};
    return value && value.is_string() &&
           std::find(words.begin(), words.end(), value.text()) != words.end();
}

bool is_text(json_value value) {
    return value && value.is_string();
}
bool is_list(json_value value) {
    return value && value.is_array();
}
bool empty_list(json_value value) {
    return is_list(value) && value.is_empty_container();
}

// Whether the first part of a content is an output_text or a refusal.
bool starts_with_output_part(json_value list) {
    if (!is_list(list) || list.is_empty_container()) return false;
    const json_value first(list.document(), list.index() + 1);
    if (!first.is_object()) return false;
    const json_value part_type = first.find("type");
    if (!part_type || !truthy(part_type)) return static_cast<bool>(first.find("refusal"));
    constexpr std::array<std::string_view, 2> output_types{"output_text", "refusal"};
    return looked_up_in(output_types, part_type);
}

message_kind message(const object_fields& item) {
    if (looked_up_in(simple_roles, item[role]))
        return is_list(item[content]) && looked_up_in(item_statuses, item[status]) ? inputmessage
                                                                                   : easymessage;
    if (empty_list(item[content])) return is_text(item[id]) ? outputmessage : easymessage;
    return starts_with_output_part(item[content]) ? outputmessage : easymessage;
}

message_kind untyped_message(const object_fields& item) {
    const message_kind kind = message(item);
    if (kind == outputmessage) return is_text(item[id]) ? kind : mcp_list_tools;
    return starts_with_output_part(item[content]) ? mcp_list_tools : kind;
}

message_kind untyped(const object_fields& item) {
    constexpr std::array<std::string_view, 4> roles{"user", "system", "developer", "assistant"};
    if (looked_up_in(roles, item[role]) && (is_text(item[content]) || is_list(item[content])))
        return untyped_message(item);
    if (!item[role] && is_text(item[id]) && is_list(item[content]) &&
        (empty_list(item[content]) || starts_with_output_part(item[content])))
        return outputmessage;
    if (item[arguments] && item[name]) return item[call_id] ? function_call : mcp_call;
    if (is_text(item[call_id]) && item[output]) return function_call_output;
    if (is_text(item[id]) && is_list(item[summary])) return reasoning;
    return mcp_list_tools;
}

item_shape find_shape(const object_fields& item) {
    const json_value item_type = item[type];
    if (!item_type) return shape_of(untyped(item));
    if (item_type.is_null()) {
        // Invalid in the end, but looked up like one without a type, which may raise.
        untyped(item);
        return {};
    }
    if (!item_type.is_string()) return {};
    if (item_type.text() == "message") return shape_of(message(item));
    return shape_of_type(item_type.text());
}

}  // namespace

item_shape find_item_shape(const object_fields& fields) {
    try {
        return find_shape(fields);
    } catch (const unhashable&) {
        return {item_shape::verdict::raises, 0};
    }
}

bool has_token_metadata(const object_fields& fields) {
    return fields[prompt_token_ids] || fields[generation_token_ids] ||
           fields[generation_log_probs] || fields[routed_experts];
}

bool video_has_source(const object_fields& fields) {
    // In the order of the shape `video`: type, video_url, video.
    const json_value url = fields[1];
    const json_value video = fields[2];
    if (static_cast<bool>(url) == static_cast<bool>(video)) return false;
    json_value source = url ? url : video;
    if (source.is_object()) source = source.find("url");
    return is_text(source) && !blank_text(source.text());
}

}  // namespace gym::telemetry::health
