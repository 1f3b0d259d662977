// SPDX-License-Identifier: Apache-2.0
//
// Checks the escape sequences of a whole block of JSON text.
#pragma once

#include <cstddef>

namespace gym::telemetry::rollout {

// Whether a valid escape follows every backslash of [begin, begin + size) that is not escaped
// itself. The text ends with a newline, and scan_padding readable bytes follow it.
bool escapes_are_valid(const char* begin, std::size_t size) noexcept;

// The same without vector instructions, for other processors and for tests.
bool escapes_are_valid_portable(const char* begin, std::size_t size) noexcept;

}  // namespace gym::telemetry::rollout
