// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/trace.hpp>

#include <cstddef>
#include <span>

namespace gym::telemetry {

namespace {

// Only lower case, as the recommendation has it.
int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

bool read_hex(std::string_view digits, std::span<std::uint8_t> to) noexcept {
    for (std::size_t i = 0; i < to.size(); ++i) {
        const int high = hex_value(digits[2 * i]);
        const int low = hex_value(digits[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        to[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return true;
}

void append_hex(std::string& to, std::span<const std::uint8_t> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const std::uint8_t byte : bytes) {
        to += digits[byte >> 4];
        to += digits[byte & 15];
    }
}

// Where the parts of a traceparent stand.
constexpr std::size_t trace_at = 3, span_at = 36, flags_at = 53, size_of_version_0 = 55;
constexpr std::uint8_t sampled_flag = 1;

}  // namespace

std::optional<span_context> parse_traceparent(std::string_view text) noexcept {
    if (text.size() < size_of_version_0) return std::nullopt;
    if (text[trace_at - 1] != '-' || text[span_at - 1] != '-' || text[flags_at - 1] != '-')
        return std::nullopt;
    std::uint8_t version[1];
    std::uint8_t flags[1];
    span_context context;
    if (!read_hex(text, version) || !read_hex(text.substr(trace_at), context.trace.bytes) ||
        !read_hex(text.substr(span_at), context.span.bytes) ||
        !read_hex(text.substr(flags_at), flags))
        return std::nullopt;
    if (version[0] == 0xff || !context.is_valid()) return std::nullopt;
    if (text.size() > size_of_version_0 && (version[0] == 0 || text[size_of_version_0] != '-'))
        return std::nullopt;
    context.sampled = flags[0] & sampled_flag;
    return context;
}

std::string format_traceparent(const span_context& context) {
    std::string text = "00-";
    text.reserve(size_of_version_0);
    append_hex(text, context.trace.bytes);
    text += '-';
    append_hex(text, context.span.bytes);
    text += context.sampled ? "-01" : "-00";
    return text;
}

}  // namespace gym::telemetry
