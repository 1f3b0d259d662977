// SPDX-License-Identifier: Apache-2.0
//
// What one thread has of one generation: its cells, and caches from raw attribute values to cells.
// A block is written by one thread at a time. When that thread ends the block is handed on, warm,
// to the next thread that begins, or folded into another idle block.
#pragma once

#include "engine/arena.hpp"
#include "engine/series_key.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <bit>
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
        for (std::size_t group = hash & mask_;; group = (group + 1) & mask_) {
            const std::uint64_t tags = tags_[group];
            for (std::uint64_t hits = equal_bytes(tags, hash); hits != 0; hits &= hits - 1) {
                const slot& s = slots_[8 * group + first_byte(hits)];
                if (matches_each(*s.key, values...)) [[likely]] {
                    last_key_ = s.key;
                    last_cell_ = s.cell;
                    return s.cell;
                }
            }
            if (has_free(tags)) return nullptr;
        }
    }

    // Slots are probed by groups of eight, whose tags (a byte of the hash each, 0 a free slot) are
    // one word: which slot of a group it is costs no branch that could be mispredicted, and the
    // tags of 1,000 series stay in the L1 cache. A byte that is no match may be taken for one (a
    // borrow); the comparison of the key decides.
    static constexpr std::uint64_t lows = 0x0101010101010101ull;
    static constexpr std::uint64_t highs = 0x8080808080808080ull;
    static std::uint64_t tag_of(std::uint64_t hash) noexcept { return hash >> 56 | 0x80; }
    static std::uint64_t equal_bytes(std::uint64_t tags, std::uint64_t hash) noexcept {
        const std::uint64_t differ = tags ^ (tag_of(hash) * lows);
        return (differ - lows) & ~differ & highs;
    }
    static bool has_free(std::uint64_t tags) noexcept { return (~tags & highs) != 0; }
    static std::size_t first_byte(std::uint64_t marks) noexcept {
        return static_cast<std::size_t>(std::countr_zero(marks)) / 8;
    }
    void grow();
    void put(const series_key& key, word* cell) noexcept;

    static const series_key no_key;  // matches nothing

    const series_key* last_key_ = &no_key;
    word* last_cell_ = nullptr;
    std::unique_ptr<std::uint64_t[]> tags_;  // one word a group
    std::unique_ptr<slot[]> slots_;          // eight a group
    std::size_t mask_ = 0;                   // groups less one
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
