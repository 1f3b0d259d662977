// SPDX-License-Identifier: Apache-2.0
//
// What counts as an integer, a number and a boolean in a trajectory: pydantic's lax conversions.
// A string may be a number ("12", " 1_000.0 "), a boolean an integer, an integral double one too.
#pragma once

#include "health/json_value.hpp"

#include <optional>
#include <string_view>

namespace gym::telemetry::health {

// Strings may spell integers beyond 64 bits. They count as they are up to 2^100, and as that
// beyond, which leaves room to add them up: no such sum can be reported anyway.
using wide_integer = __int128;

std::optional<wide_integer> to_integer(json_value value);
std::optional<double> to_number(json_value value);
std::optional<bool> to_boolean(json_value value);

// The text without Unicode white space at both ends (Unicode's own set, which lacks U+001C-1F).
std::string_view trim_white_space(std::string_view text);

}  // namespace gym::telemetry::health
