// SPDX-License-Identifier: Apache-2.0
//
// What the inlined part of every recorder reads. Not part of the public promise.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gym::telemetry::detail {

// 0 while nothing is recorded; else a word that is unique to the generation in force (the time
// between an init and its shutdown), so that a thread finds out with one comparison that all it
// has cached is still good. Relaxed loads: a record that races with init or shutdown may fall on
// either side.
struct alignas(64) control_words {
    std::atomic<std::uint64_t> record{0};
    // Bit n: span group n is on. Bit 63: metrics are on. 0 while telemetry is off.
    std::atomic<std::uint64_t> gates{0};
};

GYM_TELEMETRY_API extern control_words control;

// Where a bound recorder of id n finds its cell in this thread.
struct bound_slot {
    std::uint64_t unique = 0;  // of the binding, since ids are used again
    void* cell = nullptr;
};

// The part of a thread's state that inlined code reads.
struct thread_view {
    std::uint64_t record_control;  // equals control.record while the caches below are good
    const bound_slot* bound;
    std::size_t bound_count;
};

// Initial-exec, since the default model costs a call in a shared library (2.4 against 1.7 ns).
// Never null: a thread that has not recorded yet sees a view that matches no generation.
GYM_TELEMETRY_API extern constinit thread_local const thread_view* this_thread_view
    __attribute__((tls_model("initial-exec")));

inline std::uint64_t recording() noexcept {
    return control.record.load(std::memory_order_relaxed);
}

}  // namespace gym::telemetry::detail
