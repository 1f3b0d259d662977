// SPDX-License-Identifier: Apache-2.0
//
// How many columns of a terminal a text takes. libc's wcwidth asks the locale, which may be C where
// the terminal is not.
#pragma once

#include <cstddef>
#include <string_view>

namespace gym::telemetry::detail {

// Ideographs and most emoji take two columns, combining characters none, all else one; so does a
// byte that is no UTF-8.
std::size_t display_width(std::string_view text) noexcept;

// The longest begin, or end, of the text that fits into so many columns. No character is cut, and
// none loses what combines with it.
std::string_view begin_that_fits(std::string_view text, std::size_t columns) noexcept;
std::string_view end_that_fits(std::string_view text, std::size_t columns) noexcept;

}  // namespace gym::telemetry::detail
