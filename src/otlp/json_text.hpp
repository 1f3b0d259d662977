// SPDX-License-Identifier: Apache-2.0
//
// Scalars as JSON, the same in every locale.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace gym::telemetry::otlp {

// A string in quotes. `text` is UTF-8.
void append_json_string(std::string_view text, std::string& to);
// The shortest text that reads back as the same double; "NaN", "Infinity" and "-Infinity" in
// quotes.
void append_json_number(double value, std::string& to);

// Of bytes. False, with `to` unchanged, when the text is none.
bool decode_base64(std::string_view text, std::string& to);
void append_base64(std::string_view bytes, std::string& to);
bool decode_hex(std::string_view text, std::string& to);
void append_hex(std::string_view bytes, std::string& to);

}  // namespace gym::telemetry::otlp
