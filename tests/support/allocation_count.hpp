// SPDX-License-Identifier: Apache-2.0
//
// Counts every `new` of the program that links it: it replaces the operators, or asks the
// sanitizer.
#pragma once

#include <cstdint>

namespace gym::telemetry::test {

// How often the calling thread has allocated.
std::uint64_t allocations() noexcept;

}  // namespace gym::telemetry::test
