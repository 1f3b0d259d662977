// SPDX-License-Identifier: Apache-2.0
//
// The recording path: what a record of a known series costs. Everything else is in
// record_elsewhere. Measured: bench/record_bench.cpp; drawn: docs/engine.md.
#pragma once

#include "engine/threads.hpp"

namespace gym::telemetry::engine {

// The calling thread's block, when its caches belong to the generation in force; else null.
inline thread_block* warm_block() noexcept {
    const auto* view = gym::telemetry::detail::this_thread_view;
    if (view->record_control != gym::telemetry::detail::recording()) [[unlikely]]
        return nullptr;
    // A view that matches a generation is the first member of a block that this thread owns.
    return const_cast<thread_block*>(reinterpret_cast<const thread_block*>(view));
}

template <std::size_t Count>
word* warm_cell(instrument_id id, const std::string_view* values) noexcept {
    thread_block* block = warm_block();
    return block == nullptr ? nullptr : block->caches[id].find<Count>(values);
}

template <std::size_t Count>
void record_one(instrument_id id, const std::string_view* values) noexcept {
    if (word* cell = warm_cell<Count>(id, values)) [[likely]]
        set(*cell, get(*cell) + 1);
    else
        record_elsewhere(id, values, {.integer = 1});
}

template <std::size_t Count>
void record_sum(instrument_id id, const std::string_view* values, std::int64_t delta) noexcept {
    word* cell = warm_cell<Count>(id, values);
    if (cell == nullptr || !try_add(*cell, delta)) [[unlikely]]
        record_elsewhere(id, values, {.integer = delta});
}

template <std::size_t Count, std::size_t Bounds>
void record_value(instrument_id id, const std::string_view* values, const double* bounds,
                  double value) noexcept {
    if (word* cell = warm_cell<Count>(id, values)) [[likely]]
        record_histogram(cell, bucket_of<Bounds>(bounds, value), value);
    else
        record_elsewhere(id, values, {.real = value});
}

}  // namespace gym::telemetry::engine
