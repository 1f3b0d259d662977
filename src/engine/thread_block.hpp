// SPDX-License-Identifier: Apache-2.0
//
// What one thread has of one generation: its cells, and caches from raw attribute values to cells.
// A block is written by one thread at a time. When that thread ends the block is handed on, warm,
// to the next thread that begins, or folded into another idle block.
#pragma once

#include "engine/arena.hpp"
#include "engine/series_cache.hpp"

#include <gym/telemetry/detail/thread_view.hpp>

#include <memory>

namespace gym::telemetry::engine {

// A block's cells of bindings, by their ids: memory of its own, as it is large and hardly touched.
class bound_table {
public:
    using bound_cell = gym::telemetry::detail::bound_cell;
    bound_table() = default;
    bound_table(const bound_table&) = delete;
    bound_table& operator=(const bound_table&) = delete;
    ~bound_table();

    // Null before reserve.
    bound_cell* cells() const noexcept { return cells_; }
    // Throws bad_alloc.
    void reserve();

private:
    bound_cell* cells_ = nullptr;
};

class generation;

struct alignas(64) thread_block {
    gym::telemetry::detail::thread_view view{};
    std::unique_ptr<series_cache[]> caches;  // one an instrument
    cell_arena arena;
    bound_table bound;
    generation* owner = nullptr;
};

}  // namespace gym::telemetry::engine
