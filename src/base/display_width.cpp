// SPDX-License-Identifier: Apache-2.0
#include "base/display_width.hpp"

#include <algorithm>
#include <span>

namespace gym::telemetry::detail {

namespace {

struct range {
    char32_t first, last;
};

// East Asian Width W and F of Unicode 15, gaps of unassigned characters filled.
// clang-format off
constexpr range wide[] = {
    {0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0},
    {0x23F3, 0x23F3}, {0x25FD, 0x25FE}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F},
    {0x2693, 0x2693}, {0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5},
    {0x26CE, 0x26CE}, {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5},
    {0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705}, {0x270A, 0x270B}, {0x2728, 0x2728},
    {0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
    {0x27B0, 0x27B0}, {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55},
    {0x2E80, 0x303E}, {0x3041, 0x3247}, {0x3250, 0x4DBF}, {0x4E00, 0xA4CF}, {0xA960, 0xA97F},
    {0xAC00, 0xD7AF}, {0xF900, 0xFAFF}, {0xFE10, 0xFE19}, {0xFE30, 0xFE6F}, {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x16FE0, 0x18DFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
    {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EF}, {0x1F6F4, 0x1F6FF}, {0x1F7E0, 0x1F7FF},
    {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

// Combining marks of what names are written in, vowels of Hangul syllables in parts, joiners,
// variation selectors.
constexpr range combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2060, 0x2064},
    {0x20D0, 0x20FF}, {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};
// clang-format on

bool is_in(std::span<const range> ranges, char32_t c) noexcept {
    const auto found = std::ranges::lower_bound(ranges, c, {}, &range::last);
    return found != ranges.end() && found->first <= c;
}

bool continues(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

struct character {
    std::size_t bytes = 1;
    std::size_t columns = 1;
};

// The first one of a text that is not empty.
character first_of(std::string_view text) noexcept {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (bytes == 1 || lead > 0xF4 || text.size() < bytes) return {};
    char32_t c = lead & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if (!continues(text[i])) return {};
        c = (c << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    }
    return {bytes, is_in(combining, c) ? 0u : is_in(wide, c) ? 2u : 1u};
}

}  // namespace

std::size_t display_width(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const character c = first_of(text);
        columns += c.columns;
        text.remove_prefix(c.bytes);
    }
    return columns;
}

std::string_view begin_that_fits(std::string_view text, std::size_t columns) noexcept {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const character c = first_of(text.substr(bytes));
        if (c.columns > columns) break;
        columns -= c.columns;
        bytes += c.bytes;
    }
    return text.substr(0, bytes);
}

std::string_view end_that_fits(std::string_view text, std::size_t columns) noexcept {
    std::size_t wide_still = display_width(text);
    while (!text.empty()) {
        const character c = first_of(text);
        if (wide_still <= columns && c.columns > 0) break;
        wide_still -= c.columns;
        text.remove_prefix(c.bytes);
    }
    return text;
}

}  // namespace gym::telemetry::detail
