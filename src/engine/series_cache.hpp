// SPDX-License-Identifier: Apache-2.0
//
// From the values of a record to the thread's cell, for one instrument in one thread. The set used
// last is compared, not hashed. Of another set only what changed is hashed: attributes of one
// instrument rarely change all at once. Figures: docs/decisions/004-changing-sets.md.
#pragma once

#include "engine/cell.hpp"
#include "engine/series_key.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace gym::telemetry::engine {

// Private to the owner of the block.
class series_cache {
public:
    // Bit i: value i is not the one of the set used last; 0: it is that set, of last_cell().
    template <class... Text>
    [[gnu::always_inline]] unsigned changes(std::string_view first, Text... others) const noexcept {
        if constexpr (sizeof...(Text) == 0) {
            if (first.size() == last_size_) [[likely]]
                return difference(last_text_, first.data(), first.size()) != 0;
            return 1;
        }
        if (last_size_ == no_size) [[unlikely]]
            return ~0u;
        const std::string_view* last = last_->values.data();
        unsigned changed = 0;
        unsigned bit = 1;
        const auto next = [&](std::string_view value) __attribute__((always_inline)) {
            if (value.size() != last->size() ||
                difference(last->data(), value.data(), value.size()) != 0) [[unlikely]]
                changed |= bit;
            ++last;
            bit *= 2;
        };
        next(first);
        (next(others), ...);
        return changed;
    }
    // An instrument without attributes has one series, so nothing is compared.
    unsigned changes() const noexcept { return last_cell_ == nullptr; }
    word* last_cell() const noexcept { return last_cell_; }

    // The cell of these values, null when this thread has not recorded them yet. They are the last
    // ones from now on.
    template <std::size_t Count>
    [[gnu::always_inline]] word* find_hashed(const std::string_view (&values)[Count],
                                             unsigned changed) noexcept {
        changed &= (1u << Count) - 1;
        if (used_ == 0) return nullptr;
        const std::uint64_t hash = hash_of(values, changed);
        const std::size_t group = hash & mask_;
        const std::uint64_t hits = equal_bytes(tags_[group], hash);
        if (hits != 0) [[likely]] {
            const slot& s = slots_[8 * group + first_byte(hits)];
            if (is_key_of(*s.key, values, changed)) [[likely]]
                return remember<Count>(s, changed);
        }
        return find_further(values, changed, hash);
    }
    word* find(const series_key& key) const noexcept;
    word* cell_of(const series_key& key, bool is_overflow) const noexcept {
        return is_overflow ? overflow : find(key);
    }
    // `count` is the number of the instrument's attributes. Throws bad_alloc; the cache is then as
    // it was.
    void add(const series_key& key, std::size_t count, word* cell);

    // The cell of the overflow series, which no values lead to; null when there is none yet.
    word* overflow = nullptr;

private:
    struct slot {
        const series_key* key;
        word* cell;
    };
    // Of an instrument with several attributes: the values of the set used last, where they lie in
    // keys (each in the key it was first seen in, so that those which stay are found in the L1
    // cache), and their numbers. And the hashes of the values looked up last, found or not.
    struct last_set {
        std::array<std::string_view, max_attributes> values{};
        std::array<std::uint64_t, max_attributes / 2> numbers{};
        std::array<std::uint64_t, max_attributes> parts{};
        std::uint64_t sum = 0;
    };

    // Calls visit(i) for each bit i that is set, of which there is one at least, until it returns
    // false. Mostly there is just one.
    template <class Visit>
    [[gnu::always_inline]] static bool for_each_bit(unsigned bits, Visit visit) noexcept {
        if (!visit(static_cast<std::size_t>(std::countr_zero(bits)))) return false;
        while ((bits &= bits - 1) != 0) [[unlikely]]
            if (!visit(static_cast<std::size_t>(std::countr_zero(bits)))) return false;
        return true;
    }
    template <std::size_t Count>
    [[gnu::always_inline]] std::uint64_t hash_of(const std::string_view (&values)[Count],
                                                 unsigned changed) noexcept {
        if constexpr (Count == 1) return hash_values(values, 1);
        last_set& last = *last_;
        std::uint64_t sum = last.sum;
        for_each_bit(changed, [&](std::size_t i) __attribute__((always_inline)) {
            const std::uint64_t part = hash_value(values[i], seed_of(i));
            sum += part - last.parts[i];
            last.parts[i] = part;
            return true;
        });
        last.sum = sum;
        return finish_hash(sum);
    }
    // What did not change is compared by its number.
    template <std::size_t Count>
    [[gnu::always_inline]] bool is_key_of(const series_key& key,
                                          const std::string_view (&values)[Count],
                                          unsigned changed) const noexcept {
        if constexpr (Count > 1)
            if (differ_in_numbers<Count>(key, last_->numbers.data(), changed)) return false;
        return for_each_bit(changed, [&](std::size_t i) __attribute__((always_inline)) {
            return values[i].size() == key.lengths[i] &&
                   difference(key.value(i), values[i].data(), values[i].size()) == 0;
        });
    }
    template <std::size_t Count>
    [[gnu::always_inline]] word* remember(const slot& s, unsigned changed) noexcept {
        const series_key& key = *s.key;
        last_size_ = key.lengths[0];
        if constexpr (Count == 1) {
            last_text_ = key.text();
        } else {
            for_each_bit(changed, [&](std::size_t i) __attribute__((always_inline)) {
                last_->values[i] = {key.value(i), key.lengths[i]};
                return true;
            });
            for (std::size_t k = 0; k < (Count + 1) / 2; ++k) last_->numbers[k] = key.numbers(k);
        }
        return last_cell_ = s.cell;
    }
    // The whole search. Apart, since one place in twenty is not the first that is looked at.
    template <std::size_t Count>
    [[gnu::noinline]] word* find_further(const std::string_view (&values)[Count], unsigned changed,
                                         std::uint64_t hash) noexcept {
        for (std::size_t group = hash & mask_;; group = (group + 1) & mask_) {
            const std::uint64_t tags = tags_[group];
            for (std::uint64_t hits = equal_bytes(tags, hash); hits != 0; hits &= hits - 1) {
                const slot& s = slots_[8 * group + first_byte(hits)];
                if (is_key_of(*s.key, values, changed)) return remember<Count>(s, changed);
            }
            if (has_free(tags)) {
                last_size_ = no_size;
                return nullptr;
            }
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

    static constexpr std::size_t no_size = ~std::size_t{0};  // no text has it

    // The set used last: the size of its first value (no_size: there is no such set), the text of
    // its only one, and its cell.
    std::size_t last_size_ = no_size;
    const char* last_text_ = nullptr;
    word* last_cell_ = nullptr;
    std::unique_ptr<last_set> last_;         // with several attributes, from the first add on
    std::unique_ptr<std::uint64_t[]> tags_;  // one word a group
    std::unique_ptr<slot[]> slots_;          // eight a group
    std::size_t mask_ = 0;                   // groups less one
    std::size_t used_ = 0;
};

}  // namespace gym::telemetry::engine
