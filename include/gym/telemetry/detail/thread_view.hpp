// SPDX-License-Identifier: Apache-2.0
//
// Where the calling thread's cells are. Not part of the public promise.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/detail/cell.hpp>

#include <atomic>
#include <cstddef>

namespace gym::telemetry::detail {

// A thread's cell of one binding; null when it has none (yet).
using bound_cell = std::atomic<word*>;

// Ids of bindings lie below this, and every table of bound cells has a place for each, so that a
// record does not ask how long its table is. What is not touched of a table takes no memory. Id 0
// is nobody's: its cell is null for good.
inline constexpr std::size_t max_bindings = 16384;

// The part of a thread's block that inlined code reads. Whoever ends the block's generation takes
// back what stands here, in every block: so a record asks neither whether a generation is in force
// nor which. Relaxed accesses: a record that races with init or shutdown may fall on either side.
struct thread_view {
    std::atomic<void*> caches;       // engine::series_cache[], one an instrument, or null
    std::atomic<bound_cell*> bound;  // max_bindings of them; never null
};

// Never null: a thread that has not recorded yet sees a view that has no cells. Initial-exec, since
// the default model costs a call in a shared library (2.4 against 1.7 ns).
GYM_TELEMETRY_API extern constinit thread_local const thread_view* this_thread_view
    __attribute__((tls_model("initial-exec")));

}  // namespace gym::telemetry::detail
