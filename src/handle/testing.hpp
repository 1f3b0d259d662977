// SPDX-License-Identifier: Apache-2.0
//
// Hooks for tests and for tools that stand in for a process's own telemetry.
#pragma once

#include "engine/generation.hpp"

#include <gym/telemetry/lifecycle.hpp>

#include <cstdint>
#include <memory>

namespace gym::telemetry::detail {

struct test_hooks {
    bool constant_hash = false;  // every key of a series table gets the same place
};

telemetry& init_for_tests(const options& block, const test_hooks& hooks) noexcept;

// The last collection of a memory reader, made by the shutdown that ended its generation.
collection last_collection(int reader = 0);

// What the gates answer from now on, until the next init or shutdown: bit n is span group n, bit
// 63 the metrics gate. Handle and instruments stay.
void set_gates_for_tests(std::uint64_t gates) noexcept;
std::uint64_t gates_for_tests() noexcept;

}  // namespace gym::telemetry::detail
