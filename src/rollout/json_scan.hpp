// SPDX-License-Identifier: Apache-2.0
//
// Validating scanners for the tokens of one JSON row, by RFC 8259. Every text they are given ends
// with a newline, which no token and no space between tokens may hold: so none of them needs to
// know where the text ends. At least `scan_padding` readable bytes follow that newline.
//
// Each takes a pointer to the token's begin and returns the pointer past its end, or null when the
// token is wrong. UTF-8 is not their business: the caller has validated it, a whole block at a
// time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gym::telemetry::rollout {

inline constexpr std::size_t scan_padding = 64;

inline const char* skip_space(const char* p) noexcept {
    while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
    return p;
}

inline bool is_digit(char c) noexcept {
    return static_cast<unsigned char>(c - '0') < 10;
}

inline bool is_hex(char c) noexcept {
    return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 6;
}

// Past the escape sequence whose backslash is at p. Surrogates need not come in pairs: Python
// writes lone ones and reads them back.
inline const char* skip_escape(const char* p) noexcept {
    switch (p[1]) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
            return p + 2;
        case 'u':
            return is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]) ? p + 6 : nullptr;
        default:
            return nullptr;
    }
}

// To the next quote, backslash or control character at or after p. Sixteen bytes a step: most of a
// rollout is text, and looking at each byte by itself halves the speed of a replay.
inline const char* next_special(const char* p) noexcept {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i last_control = _mm_set1_epi8(0x1f);
    for (;; p += 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const __m128i control = _mm_cmpeq_epi8(_mm_max_epu8(text, last_control), last_control);
        const __m128i found = _mm_or_si128(
            control, _mm_or_si128(_mm_cmpeq_epi8(text, quote), _mm_cmpeq_epi8(text, backslash)));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
        if (mask != 0) return p + std::countr_zero(mask);
    }
#else
    while (*p != '"' && *p != '\\' && static_cast<unsigned char>(*p) > 0x1f) ++p;
    return p;
#endif
}

// Of a text in pieces: to the next quote, backslash, control or non-ASCII character, or to
// somewhere before one or the end.
inline const char* skip_plain_text(const char* p, const char* end) noexcept {
#if defined(__SSE2__)
    const __m128i last_control = _mm_set1_epi8(0x1f);
    for (; end - p >= 16; p += 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        // Signed: bytes from 0x80 on are below zero.
        const __m128i plain = _mm_cmpgt_epi8(text, last_control);
        const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')),
                                           _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_andnot_si128(found, plain)));
        if (mask != 0xffff) return p + std::countr_one(mask);
    }
#endif
    return p;
}

// p is past the opening quote; returns past the closing one.
inline const char* skip_string(const char* p) noexcept {
    for (;;) {
        p = next_special(p);
        if (*p == '"') return p + 1;
        if (*p != '\\') return nullptr;
        p = skip_escape(p);
        if (p == nullptr) return nullptr;
    }
}

inline const char* skip_digits(const char* p) noexcept {
    if (!is_digit(*p)) return nullptr;
    do ++p;
    while (is_digit(*p));
    return p;
}

// p is at the minus or at the first digit.
inline const char* skip_number(const char* p) noexcept {
    if (*p == '-') ++p;
    p = *p == '0' ? p + 1 : skip_digits(p);
    if (p != nullptr && *p == '.') p = skip_digits(p + 1);
    if (p != nullptr && (*p | 0x20) == 'e') {
        ++p;
        p = skip_digits(*p == '+' || *p == '-' ? p + 1 : p);
    }
    return p;
}

// p is at the t, f or n.
inline const char* skip_literal(const char* p) noexcept {
    if (std::memcmp(p, "true", 4) == 0 || std::memcmp(p, "null", 4) == 0) return p + 4;
    return std::memcmp(p, "false", 5) == 0 ? p + 5 : nullptr;
}

}  // namespace gym::telemetry::rollout
