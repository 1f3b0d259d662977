// SPDX-License-Identifier: Apache-2.0
//
// The recording path: what a record of a known series costs. Everything else is in
// record_elsewhere. Measured: bench/gym_bench.cpp; drawn: docs/engine.md.
//
// Three steps, each of which ends in a tail call of the next, so that the first needs no stack:
//   record         the set that this thread used last: its bytes are compared
//   record_hashed  another set that this thread has a cell for
//   record_values_elsewhere   a new set, or a thread that has not joined
#pragma once

#include "engine/threads.hpp"

#include <gym/telemetry/detail/thread_view.hpp>

namespace gym::telemetry::engine {

// What is recorded: done to a cell, which may refuse it (false), or to be done elsewhere.
struct increment {
    bool to(word* cell) const noexcept { return add(*cell, 1), true; }
    measurement elsewhere() const noexcept { return {.integer = 1}; }
};
struct addition {
    std::int64_t delta;
    bool to(word* cell) const noexcept { return try_add(*cell, delta); }
    measurement elsewhere() const noexcept { return {.integer = delta}; }
};
template <const auto& BucketOf>  // a bucket_index
struct bucketed {
    double value;
    bool to(word* cell) const noexcept {
        return record_histogram(cell, BucketOf(value), value), true;
    }
    measurement elsewhere() const noexcept { return {.real = value}; }
};
struct ratio_event {
    bool hit;
    bool to(word* cell) const noexcept {
        add(cell[0], hit);
        return add(cell[1], 1), true;
    }
    measurement elsewhere() const noexcept { return {.integer = hit}; }
};
struct last_value {
    double value;
    bool to(word* cell) const noexcept { return set_double(*cell, value), true; }
    measurement elsewhere() const noexcept { return {.real = value}; }
};

// Apart, so that the values are written to memory only here. Zero values are an array, too.
template <class What, class... Text>
[[gnu::cold, gnu::noinline]] void record_values_elsewhere(instrument_id id, What what,
                                                          Text... values) noexcept {
    const std::string_view all[sizeof...(Text) + 1] = {values...};
    record_elsewhere(id, all, what.elsewhere());
}

template <class What, std::size_t Count>
[[gnu::always_inline]] inline void record_found(series_cache& cache, instrument_id id, What what,
                                                const std::string_view (&values)[Count],
                                                unsigned changed) noexcept {
    word* cell = cache.find_hashed(values, changed);
    if (cell == nullptr || !what.to(cell)) [[unlikely]]
        record_elsewhere(id, values, what.elsewhere());
}
template <class What>
[[gnu::noinline]] void record_hashed(series_cache& cache, instrument_id id, What what,
                                     std::string_view value) noexcept {
    record_found(cache, id, what, {value}, 1);
}
template <class What, std::size_t Count>
[[gnu::noinline]] void record_hashed(series_cache& cache, instrument_id id, What what,
                                     const std::string_view (&values)[Count],
                                     unsigned changed) noexcept {
    record_found(cache, id, what, values, changed);
}

// `values` is a std::string_view for each attribute of the row.
template <class What, class... Text>
[[gnu::always_inline]] inline void record(instrument_id id, What what, Text... values) noexcept {
    auto* caches = static_cast<series_cache*>(
        gym::telemetry::detail::this_thread_view->caches.load(std::memory_order_relaxed));
    if (caches == nullptr) [[unlikely]]
        return record_values_elsewhere(id, what, values...);
    series_cache& cache = caches[id];
    const unsigned changed = cache.changes(values...);
    if (changed == 0) [[likely]] {
        if (!what.to(cache.last_cell())) [[unlikely]]
            record_values_elsewhere(id, what, values...);
        return;
    }
    if constexpr (sizeof...(Text) == 0)
        record_values_elsewhere(id, what);
    else if constexpr (sizeof...(Text) == 1)
        record_hashed(cache, id, what, values...);
    else
        record_hashed(cache, id, what, {values...}, changed);
}

}  // namespace gym::telemetry::engine
