// SPDX-License-Identifier: Apache-2.0
//
// OTLP's JSON from and to its protobuf. Source: the OTLP specification, "JSON Protobuf Encoding":
// names in lowerCamelCase, ids in hexadecimal, enums as numbers, 64-bit integers as text, unknown
// fields ignored.
#pragma once

#include "base/result.hpp"
#include "otlp/schema.hpp"

#include <string>
#include <string_view>

namespace gym::telemetry::otlp {

// Appends one object, without line breaks. Fields come in the order of their numbers. False when
// `protobuf` is not such a message or is nested deeper than depth_max; `to` then holds a part of
// it.
bool append_json(const message_row& type, std::string_view protobuf, std::string& to);

// The message as protobuf, fields in the order of the text. 64-bit integers may be numbers, null is
// absent. What append_json wrote becomes the same bytes again.
gym::telemetry::detail::result<std::string> from_json(const message_row& type,
                                                      std::string_view json);

}  // namespace gym::telemetry::otlp
