// SPDX-License-Identifier: Apache-2.0
//
// What one thread has of one generation: its cells, and caches from raw attribute values to cells.
// A block is written by one thread at a time. When that thread ends the block is handed on, warm,
// to the next thread that begins, or folded into another idle block.
#pragma once

#include "engine/arena.hpp"
#include "engine/series_key.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gym::telemetry::engine {

// From keys to cells, for one instrument in one thread. Private to the owner.
class series_cache {
public:
    // The cell of these values, null when this thread has not recorded them yet. The set used last
    // is tried first: no hash, only the comparison.
    template <class... Text>
    [[gnu::always_inline]] word* find_each(Text... values) noexcept {
        // An instrument without attributes has one series, so nothing is compared.
        if constexpr (sizeof...(Text) == 0) {
            return last_cell_;
        } else {
            if (matches_each(*last_key_, values...)) [[likely]]
                return last_cell_;
            return find_hashed(values...);
        }
    }
    word* find(const series_key& key) const noexcept;
    // Throws bad_alloc; the cache is then as it was.
    void add(const series_key& key, word* cell);

private:
    struct slot {
        const series_key* key;
        word* cell;
    };

    template <class... Text>
    [[gnu::noinline]] word* find_hashed(Text... values) noexcept {
        if (used_ == 0) return nullptr;
        const std::uint64_t hash = hash_each(values...);
        const std::uint16_t tag = tag_of(hash);
        for (std::size_t at = hash & mask_; tags_[at] != 0; at = (at + 1) & mask_) {
            const slot& s = slots_[at];
            if (tags_[at] == tag && matches_each(*s.key, values...)) [[likely]] {
                last_key_ = s.key;
                last_cell_ = s.cell;
                return s.cell;
            }
        }
        return nullptr;
    }

    // 16 bits of the hash that do not choose the slot; never 0, which marks a free slot. They lie
    // in an array of their own: 1,000 of them stay in the L1 cache, and wrong slots stay untouched.
    static std::uint16_t tag_of(std::uint64_t hash) noexcept {
        return static_cast<std::uint16_t>(hash >> 48) | 1;
    }
    void grow();
    void put(const series_key& key, word* cell) noexcept;

    static const series_key no_key;  // matches nothing

    const series_key* last_key_ = &no_key;
    word* last_cell_ = nullptr;
    std::unique_ptr<std::uint16_t[]> tags_;
    std::unique_ptr<slot[]> slots_;
    std::size_t mask_ = 0;
    std::size_t used_ = 0;
};

class generation;

struct alignas(64) thread_block {
    // First, since inlined code finds the block through it.
    gym::telemetry::detail::thread_view view{};
    std::unique_ptr<series_cache[]> caches;  // one an instrument
    cell_arena arena;
    std::vector<gym::telemetry::detail::bound_slot> bound;
    generation* owner = nullptr;
};

}  // namespace gym::telemetry::engine
