// SPDX-License-Identifier: Apache-2.0
//
// Counts every `new` of the program that links it, and lets one fail: it replaces the operators, or
// asks the sanitizer, which can only count.
#pragma once

#include <cstdint>

namespace gym::telemetry::test {

// How often the calling thread has allocated.
std::uint64_t allocations() noexcept;
// Of the allocations that the calling thread will make, the one after so many throws bad_alloc.
void fail_allocation_after(std::uint64_t good) noexcept;
void fail_no_allocation() noexcept;

}  // namespace gym::telemetry::test
