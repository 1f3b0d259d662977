// SPDX-License-Identifier: Apache-2.0
#include "health/python_text.hpp"

#include "health/json_text.hpp"
#include "health/unprintable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::health {

namespace {

void append_repr(std::string& out, json_value value);

void append_hex(std::string& out, char letter, std::uint32_t code, int digits) {
    constexpr std::string_view hex = "0123456789abcdef";
    out.push_back('\\');
    out.push_back(letter);
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
        out.push_back(hex[code >> shift & 15]);
}

std::uint32_t decode(std::string_view text, std::size_t& size) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned front = byte(0);
    size = front < 0x80 ? 1 : front < 0xE0 ? 2 : front < 0xF0 ? 3 : 4;
    std::uint32_t code = size == 1 ? front : front & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3FU);
    return code;
}

bool printable(std::uint32_t code) {
    const auto after = std::upper_bound(
        unprintable_ranges.begin(), unprintable_ranges.end(), code,
        [](std::uint32_t wanted, const auto& range) { return wanted < range.first; });
    return after == unprintable_ranges.begin() || code > std::prev(after)->last;
}

void append_quoted(std::string& out, std::string_view text) {
    const bool single = text.find('\'') != std::string_view::npos;
    const char quote = single && text.find('"') == std::string_view::npos ? '"' : '\'';
    out.push_back(quote);
    while (!text.empty()) {
        std::size_t size = 1;
        const std::uint32_t code = decode(text, size);
        if (code == static_cast<unsigned char>(quote) || code == '\\') {
            out.push_back('\\');
            out.push_back(static_cast<char>(code));
        } else if (code == '\n') {
            out.append("\\n");
        } else if (code == '\r') {
            out.append("\\r");
        } else if (code == '\t') {
            out.append("\\t");
        } else if (printable(code)) {
            out.append(text.substr(0, size));
        } else {
            append_hex(out,
                       code < 0x100     ? 'x'
                       : code < 0x10000 ? 'u'
                                        : 'U',
                       code,
                       code < 0x100     ? 2
                       : code < 0x10000 ? 4
                                        : 8);
        }
        text.remove_prefix(size);
    }
    out.push_back(quote);
}

// The shortest digits that read back, with an exponent below 1e-4 and from 1e16 on.
void append_double(std::string& out, double value) {
    std::array<char, 64> digits{};
    const auto shortest = [&](std::chars_format format) {
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format);
        return std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    };
    const double magnitude = value < 0 ? -value : value;
    if (value == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
        const std::string_view text = shortest(std::chars_format::fixed);
        out.append(text);
        if (text.find('.') == std::string_view::npos) out.append(".0");
    } else {
        out.append(shortest(std::chars_format::scientific));
    }
}

void append_list(std::string& out, json_value list) {
    out.push_back('[');
    bool first = true;
    list.each_element([&](json_value element) {
        if (!std::exchange(first, false)) out.append(", ");
        append_repr(out, element);
        return true;
    });
    out.push_back(']');
}

// A key stands where it came first and has the value that came last.
void append_dict(std::string& out, json_value object) {
    std::vector<std::string_view> written;
    out.push_back('{');
    object.each_member([&](std::string_view key, json_value) {
        if (std::find(written.begin(), written.end(), key) != written.end()) return true;
        if (!written.empty()) out.append(", ");
        written.push_back(key);
        append_quoted(out, key);
        out.append(": ");
        append_repr(out, object.find(key));
        return true;
    });
    out.push_back('}');
}

void append_repr(std::string& out, json_value value) {
    switch (value.kind()) {
        case 'n':
            out.append("None");
            break;
        case 't':
            out.append("True");
            break;
        case 'f':
            out.append("False");
            break;
        case 'l':
        case 'u':
            append_integer(out, value.integer());
            break;
        case 'd':
            append_double(out, value.number());
            break;
        case '"':
            append_quoted(out, value.text());
            break;
        case '[':
            append_list(out, value);
            break;
        default:
            append_dict(out, value);
    }
}

}  // namespace

void append_python_text(std::string& out, json_value value) {
    if (value.is_string()) {
        out.append(value.text());
    } else {
        append_repr(out, value);
    }
}

}  // namespace gym::telemetry::health
