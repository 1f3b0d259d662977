// SPDX-License-Identifier: Apache-2.0
#include "health/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gym::telemetry::health {

namespace {

void append_escape(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    out.push_back('\\');
    switch (c) {
        case '"':
        case '\\':
            out.push_back(c);
            return;
        case '\b':
            out.push_back('b');
            return;
        case '\t':
            out.push_back('t');
            return;
        case '\n':
            out.push_back('n');
            return;
        case '\f':
            out.push_back('f');
            return;
        case '\r':
            out.push_back('r');
            return;
        default:
            break;
    }
    out.append("u00");
    out.push_back(digits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(digits[static_cast<unsigned char>(c) & 15]);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
        out.append(text.substr(plain, i - plain));
        append_escape(out, c);
        plain = i + 1;
    }
    out.append(text.substr(plain));
    out.push_back('"');
}

std::string integer_text(wide_integer value) {
    // The magnitude as unsigned, so that the smallest value has one.
    auto rest = static_cast<unsigned __int128>(value);
    if (value < 0) rest = 0 - rest;
    std::string digits;
    do {
        digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
        rest /= 10;
    } while (rest != 0);
    if (value < 0) digits.push_back('-');
    std::reverse(digits.begin(), digits.end());
    return digits;
}

void append_integer(std::string& out, wide_integer value) {
    out.append(integer_text(value));
}

bool writable_integer(wide_integer value) {
    return value >= std::numeric_limits<std::int64_t>::min() &&
           value <= static_cast<wide_integer>(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace gym::telemetry::health
