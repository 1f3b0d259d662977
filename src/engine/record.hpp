// SPDX-License-Identifier: Apache-2.0
//
// The recording path: what a record of a known series costs. Everything else is in
// record_elsewhere. Measured: bench/record_bench.cpp; drawn: docs/engine.md.
#pragma once

#include "engine/threads.hpp"

namespace gym::telemetry::engine {

// The calling thread's block, when its caches belong to the generation in force; else null.
[[gnu::always_inline]] inline thread_block* warm_block() noexcept {
    const auto* view = gym::telemetry::detail::this_thread_view;
    if (view->record_control != gym::telemetry::detail::recording()) [[unlikely]]
        return nullptr;
    // A view that matches a generation is the first member of a block that this thread owns.
    return const_cast<thread_block*>(reinterpret_cast<const thread_block*>(view));
}

// The cell of these values (each a std::string_view), null when the record must go the long way.
template <class... Text>
[[gnu::always_inline]] inline word* warm_cell(instrument_id id, Text... values) noexcept {
    thread_block* block = warm_block();
    if (block == nullptr) [[unlikely]]
        return nullptr;
    return block->caches[id].find_each(values...);
}

// Apart, so that the values are written to memory only here.
template <class... Text>
[[gnu::cold, gnu::noinline]] void record_values_elsewhere(instrument_id id, measurement what,
                                                          Text... values) noexcept {
    const std::string_view all[sizeof...(Text) + 1] = {values...};
    record_elsewhere(id, all, what);
}

template <class... Text>
[[gnu::always_inline]] inline void record_one(instrument_id id, Text... values) noexcept {
    if (word* cell = warm_cell(id, values...)) [[likely]]
        set(*cell, get(*cell) + 1);
    else
        record_values_elsewhere(id, {.integer = 1}, values...);
}

template <class... Text>
[[gnu::always_inline]] inline void record_sum(instrument_id id, std::int64_t delta,
                                              Text... values) noexcept {
    word* cell = warm_cell(id, values...);
    if (cell == nullptr || !try_add(*cell, delta)) [[unlikely]]
        record_values_elsewhere(id, {.integer = delta}, values...);
}

template <std::size_t Bounds, class... Text>
[[gnu::always_inline]] inline void record_value(instrument_id id, const double* bounds,
                                                double value, Text... values) noexcept {
    if (word* cell = warm_cell(id, values...)) [[likely]]
        record_histogram(cell, bucket_of<Bounds>(bounds, value), value);
    else
        record_values_elsewhere(id, {.real = value}, values...);
}

}  // namespace gym::telemetry::engine
