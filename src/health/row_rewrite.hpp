// SPDX-License-Identifier: Apache-2.0
//
// Rows that simdjson refuses although they are to be read: an integer literal beyond 64 bits (it is
// a double), and by the wide rules a lone surrogate and a number beyond double.
#pragma once

#include <string>
#include <string_view>

namespace gym::telemetry::health {

// Writes the row to `out` in a form that simdjson reads to the same value. False when nothing was
// there to rewrite: then the refusal stands. The row need not be JSON; what is wrong with it stays.
bool rewrite_row(std::string_view row, bool wide, std::string& out);

}  // namespace gym::telemetry::health
