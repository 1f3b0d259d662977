// SPDX-License-Identifier: Apache-2.0
#include "otlp/json_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace gym::telemetry::otlp {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_escaped(char c, std::string& to) {
    switch (c) {
        case '"':
            to += "\\\"";
            return;
        case '\\':
            to += "\\\\";
            return;
        case '\n':
            to += "\\n";
            return;
        case '\r':
            to += "\\r";
            return;
        case '\t':
            to += "\\t";
            return;
        default:
            to += "\\u00";
            to += hex_digits[static_cast<unsigned char>(c) >> 4];
            to += hex_digits[static_cast<unsigned char>(c) & 15];
    }
}

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

void append_json_string(std::string_view text, std::string& to) {
    to += '"';
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        to.append(text, plain, i - plain);
        append_escaped(text[i], to);
        plain = i + 1;
    }
    to.append(text, plain, text.size() - plain);
    to += '"';
}

void append_json_number(double value, std::string& to) {
    if (std::isnan(value)) {
        to += "\"NaN\"";
    } else if (std::isinf(value)) {
        to += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else {
        std::array<char, 32> text;
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
        to.append(text.data(), end.ptr);
    }
}

void append_base64(std::string_view bytes, std::string& to) {
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t b = 0; b < 3; ++b)
            group = group << 8 | (b < count ? static_cast<unsigned char>(bytes[i + b]) : 0u);
        for (std::size_t d = 0; d < 4; ++d)
            to += d <= count ? base64_digits[group >> (18 - 6 * d) & 63] : '=';
    }
}

bool decode_base64(std::string_view text, std::string& to) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string decoded;
    std::uint32_t group = 0;
    int bits = 0;
    for (const char c : text) {
        // The spelling for URLs is read too, as ProtoJSON asks.
        const std::size_t digit = base64_digits.find(c == '-' ? '+' : c == '_' ? '/' : c);
        if (digit == base64_digits.npos) return false;
        group = group << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        decoded += static_cast<char>(group >> bits & 0xff);
    }
    if (bits >= 6) return false;
    to += decoded;
    return true;
}

void append_hex(std::string_view bytes, std::string& to) {
    for (const char byte : bytes) {
        to += hex_digits[static_cast<unsigned char>(byte) >> 4];
        to += hex_digits[static_cast<unsigned char>(byte) & 15];
    }
}

bool decode_hex(std::string_view text, std::string& to) {
    if (text.size() % 2 != 0) return false;
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return false;
        decoded += static_cast<char>(high << 4 | low);
    }
    to += decoded;
    return true;
}

}  // namespace gym::telemetry::otlp
