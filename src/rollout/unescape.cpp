// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>

#include <rollout/unescape.hpp>

namespace gym::telemetry::rollout {
namespace {

constexpr std::uint32_t replacement = 0xfffd;

void append_utf8(std::uint32_t c, std::string& out) {
    if (c < 0x80) {
        out += static_cast<char>(c);
        return;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(leads[more] | (c >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f));
}

std::uint32_t hex4(std::string_view raw, std::size_t at) {
    std::uint32_t value = 0;
    std::from_chars(raw.data() + at, raw.data() + at + 4, value, 16);
    return value;
}

bool is_high(std::uint32_t c) {
    return c >= 0xd800 && c < 0xdc00;
}
bool is_low(std::uint32_t c) {
    return c >= 0xdc00 && c < 0xe000;
}

// The character of the \uXXXX at `at`, which is moved past it, and past its partner.
std::uint32_t take_unicode(std::string_view raw, std::size_t& at) {
    const std::uint32_t c = hex4(raw, at + 2);
    at += 6;
    if (is_low(c)) return replacement;
    if (!is_high(c)) return c;
    if (raw.substr(at, 2) != "\\u" || raw.size() - at < 6) return replacement;
    const std::uint32_t low = hex4(raw, at + 2);
    if (!is_low(low)) return replacement;
    at += 6;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

char short_escape(char c) {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return c;  // quote, backslash, slash
    }
}

}  // namespace

void unescape(std::string_view raw, std::size_t limit, std::string& out) {
    const std::size_t enough = out.size() + limit;
    std::size_t at = 0;
    while (at < raw.size() && out.size() < enough) {
        const std::size_t escape = raw.find('\\', at);
        out += raw.substr(at, escape - at);
        if (escape == std::string_view::npos) return;
        at = escape;
        if (raw[at + 1] == 'u') {
            append_utf8(take_unicode(raw, at), out);
        } else {
            out += short_escape(raw[at + 1]);
            at += 2;
        }
    }
}

}  // namespace gym::telemetry::rollout
