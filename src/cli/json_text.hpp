// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON. Numbers do not depend on the locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace gymtel {

// As a JSON string with its quotes. The text is UTF-8.
inline void append_json(std::string& out, std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out += "\\u00";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

template <class Integer>
    requires std::is_integral_v<Integer>
void append_json(std::string& out, Integer number) {
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// The shortest text that reads back as the same double; null where JSON has no number.
inline void append_json(std::string& out, double number) {
    if (!std::isfinite(number)) {
        out += "null";
        return;
    }
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

}  // namespace gymtel
