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

// A thread fills its view in when it joins a generation. Whoever ends that generation takes it
// back, in every thread: so a record asks neither whether one is in force nor which. Relaxed
// accesses: a record that races with init or shutdown may fall on either side.
struct thread_view {
    std::atomic<void*> caches;       // engine::series_cache[], one an instrument, or null
    std::atomic<bound_cell*> bound;  // max_bindings of them; never null
};

// Initial-exec, since the default model costs a call in a shared library (2.4 against 1.7 ns).
GYM_TELEMETRY_API extern constinit thread_local thread_view this_thread
    __attribute__((tls_model("initial-exec")));

}  // namespace gym::telemetry::detail
