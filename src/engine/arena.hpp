// SPDX-License-Identifier: Apache-2.0
//
// Where one thread's cells lie: a list of chunks that only grow, filled by the owner and walked by
// collections at the same time. The bytes of a chunk hold cells and nothing else (no pointers), so
// a chunk can later be a piece of a shared-memory mapping.
#pragma once

#include "engine/cell.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gym::telemetry::engine {

class cell_arena {
public:
    cell_arena() = default;
    cell_arena(const cell_arena&) = delete;
    cell_arena& operator=(const cell_arena&) = delete;
    ~cell_arena();

    // A new cell, all words clear, visible to walkers at once. Owner only. Returns its first word
    // after the header, null when memory is out.
    word* add(std::uint32_t series, instrument_id instrument, const instrument_row& row) noexcept;

    // Calls visit(header, words) for every cell that was there when the walk began. Any thread.
    template <class Visit>
    void walk(Visit&& visit) const {
        for (const chunk* c = first_.load(std::memory_order_acquire); c != nullptr;
             c = c->next.load(std::memory_order_acquire)) {
            // Acquire pairs with the owner's release in add: headers below `used` are complete.
            const std::uint32_t used = c->used.load(std::memory_order_acquire);
            for (std::uint32_t at = 0; at < used;) {
                const auto* header = reinterpret_cast<const cell_header*>(&c->words[at]);
                visit(*header, &c->words[at + 1]);
                at += 1u + header->words;
            }
        }
    }

    std::size_t cells() const noexcept { return cells_; }

private:
    struct chunk {
        std::atomic<chunk*> next{nullptr};
        std::atomic<std::uint32_t> used{0};  // words
        std::uint32_t capacity = 0;          // words
        std::unique_ptr<word[]> words;
    };

    chunk* room_for(std::uint32_t words) noexcept;

    std::atomic<chunk*> first_{nullptr};
    chunk* last_ = nullptr;
    std::size_t cells_ = 0;
};

}  // namespace gym::telemetry::engine
