// SPDX-License-Identifier: Apache-2.0
//
// What a turn or a response holds: text, tool calls, or nothing. Values may have any shape here, so
// these follow the original on what its Python would say of them, where it raises included.
#pragma once

#include "health/json_value.hpp"

#include <cstdint>
#include <string_view>

namespace gym::telemetry::health {

enum class presence : std::uint8_t {
    no,
    yes,
    raises_type_error,
    raises_attribute_error,
};

// bool() of Python: null, false, 0, 0.0, "", [] and {} are not.
bool truthy(json_value value);

// Nothing but white space, as Python's str.strip() sees it (U+001C-1F included).
bool blank_text(std::string_view text);

// A string with a character that is not white space, an array with a non-empty entry, an object
// where one of the known text keys is non-empty. Absent is empty.
bool non_empty(json_value value);

// An object with the type of a tool call or with tool_calls, in arrays to any depth.
presence tool_call_in(json_value value);

// Whether a response has text; tool calls are none.
presence response_content(json_value response);

// Whether a value has more than `limit` nested levels; a scalar counts as one.
bool deeper_than(json_value value, std::uint32_t limit);

}  // namespace gym::telemetry::health
