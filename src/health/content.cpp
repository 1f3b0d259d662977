// SPDX-License-Identifier: Apache-2.0
#include "health/content.hpp"

#include <algorithm>
#include <array>

namespace gym::telemetry::health {

namespace {

constexpr std::array<std::string_view, 9> text_keys{
    "text",      "content",           "output_text", "answer", "refusal", "encrypted_content",
    "reasoning", "reasoning_content", "summary"};

constexpr std::array<std::string_view, 13> tool_call_types{"function_call",
                                                           "tool_call",
                                                           "tool_use",
                                                           "mcp_call",
                                                           "mcp_list_tools",
                                                           "mcp_approval_request",
                                                           "file_search_call",
                                                           "web_search_call",
                                                           "computer_call",
                                                           "image_generation_call",
                                                           "code_interpreter_call",
                                                           "local_shell_call",
                                                           "custom_tool_call"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// White space of more than one byte at the front of the text: its size, or 0.
std::size_t wide_space(std::string_view text) {
    if (text.starts_with("\xC2\x85") || text.starts_with("\xC2\xA0")) return 2;
    if (text.size() < 3) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned code = (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    const bool space = byte(0) >= 0xE0 && byte(0) < 0xF0 &&
                       (code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                        code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000);
    return space ? 3 : 0;
}

bool non_empty_object(json_value object) {
    return !object.each_member([&](std::string_view key, json_value value) {
        // Of two equal keys the last value counts.
        const bool hit = contains(text_keys, key) && non_empty(value) &&
                         object.find(key).index() == value.index();
        return !hit;
    });
}

presence tool_call_object(json_value object) {
    const json_value type = object.find("type");
    if (type && (type.is_array() || type.is_object())) return presence::raises_type_error;
    if (type && type.is_string() && contains(tool_call_types, type.text())) return presence::yes;
    const json_value calls = object.find("tool_calls");
    return calls && truthy(calls) ? presence::yes : presence::no;
}

presence choice_content(json_value choice) {
    if (!choice.is_object()) return presence::no;
    if (non_empty(choice.find("text"))) return presence::yes;
    const json_value message = choice.find("message");
    if (!message || !truthy(message)) return presence::no;
    if (!message.is_object()) return presence::raises_attribute_error;
    return non_empty(message.find("content")) ? presence::yes : presence::no;
}

presence choices_content(json_value choices) {
    if (!choices || !truthy(choices)) return presence::no;
    if (!choices.is_array())
        return choices.is_string() || choices.is_object() ? presence::no
                                                          : presence::raises_type_error;
    presence found = presence::no;
    choices.each_element([&](json_value choice) {
        found = choice_content(choice);
        return found == presence::no;
    });
    return found;
}

}  // namespace

bool truthy(json_value value) {
    switch (value.kind()) {
        case 't':
            return true;
        case 'l':
        case 'u':
        case 'd':
            return value.number() != 0;
        case '"':
            return !value.text().empty();
        case '{':
        case '[':
            return !value.is_empty_container();
        default:
            return false;
    }
}

bool blank_text(std::string_view text) {
    while (!text.empty()) {
        const unsigned char front = static_cast<unsigned char>(text.front());
        const bool space =
            front == ' ' || (front >= 0x09 && front <= 0x0D) || (front >= 0x1C && front <= 0x1F);
        const std::size_t size = space ? 1 : front < 0x80 ? 0 : wide_space(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

bool non_empty(json_value value) {
    if (!value) return false;
    switch (value.kind()) {
        case '"':
            return !blank_text(value.text());
        case '[':
            return !value.each_element([](json_value entry) { return !non_empty(entry); });
        case '{':
            return non_empty_object(value);
        default:
            return false;
    }
}

presence tool_call_in(json_value value) {
    if (!value) return presence::no;
    if (value.is_object()) return tool_call_object(value);
    if (!value.is_array()) return presence::no;
    presence found = presence::no;
    value.each_element([&](json_value entry) {
        found = tool_call_in(entry);
        return found == presence::no;
    });
    return found;
}

presence response_content(json_value response) {
    if (!response || !response.is_object()) return presence::no;
    if (non_empty(response.find("output_text")) || non_empty(response.find("content")))
        return presence::yes;
    // The choices are looked at before the output, and may raise whatever that holds.
    const presence choices = choices_content(response.find("choices"));
    if (choices != presence::no) return choices;
    return non_empty(response.find("output")) ? presence::yes : presence::no;
}

bool deeper_than(json_value value, std::uint32_t limit) {
    if (!value || !(value.is_object() || value.is_array())) return false;
    // A level takes two words of the tape, so most values need no walk.
    if (value.end() - value.index() < limit) return false;
    std::uint32_t depth = 1;
    for (std::uint32_t at = value.index() + 1; at < value.end();) {
        const json_value entry(value.document(), at);
        switch (entry.kind()) {
            case '{':
            case '[':
                if (++depth > limit) return true;
                ++at;
                break;
            case '}':
            case ']':
                --depth;
                ++at;
                break;
            default:
                if (depth + 1 > limit) return true;
                at = entry.next();
        }
    }
    return false;
}

}  // namespace gym::telemetry::health
