// SPDX-License-Identifier: Apache-2.0
//
// What the inlined part of every recorder reads. Not part of the public promise.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <atomic>
#include <cstdint>

namespace gym::telemetry::detail {

// 0 while nothing is recorded; else a word that is unique to the generation in force (the time
// between an init and its shutdown). Relaxed loads: a record that races with init or shutdown may
// fall on either side.
struct alignas(64) control_words {
    std::atomic<std::uint64_t> record{0};
    // Bit n: span group n is on. Bit 63: metrics are on. 0 while telemetry is off.
    std::atomic<std::uint64_t> gates{0};
};

GYM_TELEMETRY_API extern control_words control;

inline std::uint64_t recording() noexcept {
    return control.record.load(std::memory_order_relaxed);
}

}  // namespace gym::telemetry::detail
