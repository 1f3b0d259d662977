// SPDX-License-Identifier: Apache-2.0
//
// Text in columns for people, shared by the verbs that print reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <cli/console.hpp>

namespace gymtel {

inline constexpr std::size_t report_width = 80;

enum class tone { plain, strong, dim, good, attention, bad };

// In colour where colours are wanted.
std::string toned(std::string_view text, tone t, const look& how);

// 1234567 as 1,234,567; from a thousand millions on as 1.2 G and the like.
std::string grouped(std::uint64_t number);

// "49 %", "0.4 %", "<0.1 %".
std::string percent(std::uint64_t part, std::uint64_t whole);

// "1 row", "2 rows", "1,200 rows".
std::string counted(std::uint64_t n, std::string_view one, std::string_view many);

// Padded to `width` columns, shortened in its middle where it is longer. Control characters, which
// could steer a terminal, are replaced.
std::string left_cell(std::string_view text, std::size_t width, const look& how);
std::string right_cell(std::string_view text, std::size_t width);

// Broken between words, so that no line is longer than the report is wide. The first line begins
// with `first_indent` spaces, those after it with `indent`.
std::string wrapped(std::string_view text, std::size_t first_indent, std::size_t indent);

}  // namespace gymtel
