// SPDX-License-Identifier: Apache-2.0
//
// Finds equal keys among the items of a list: linear while there are few, as there mostly are, and
// by hash beyond, so that a row of 100,000 calls takes no quadratic time. Reused from row to row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

inline std::uint64_t mix_hash(std::uint64_t seed, std::uint64_t value) {
    return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 29);
}
// Ids are mostly short, and then two loads see all of one.
inline std::uint64_t text_hash(std::string_view text) {
    if (text.size() > 16 || text.size() < 8) return std::hash<std::string_view>{}(text);
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    std::memcpy(&front, text.data(), sizeof front);
    std::memcpy(&back, text.data() + text.size() - sizeof back, sizeof back);
    const std::uint64_t mixed = mix_hash(mix_hash(text.size(), front), back);
    return mixed ^ mixed >> 32;
}

class key_index {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void clear() {
        entries_.clear();
        table_.clear();
    }

    // The item that was added with an equal key, or none. `same(item)` compares the keys.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same same) const {
        if (table_.empty()) {
            for (const entry& e : entries_)
                if (e.hash == hash && same(e.item)) return e.item;
            return none;
        }
        for (std::size_t at = hash & mask(); table_[at] != none; at = (at + 1) & mask()) {
            const entry& e = entries_[table_[at]];
            if (e.hash == hash && same(e.item)) return e.item;
        }
        return none;
    }

    void add(std::uint64_t hash, std::uint32_t item) {
        entries_.push_back({hash, item});
        if (entries_.size() <= linear_max) return;
        if (entries_.size() * 2 > table_.size()) return rebuild();
        place(static_cast<std::uint32_t>(entries_.size() - 1));
    }

    // Adds the item unless an equal key is there, whose item is returned then.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t item, Same same) {
        const std::uint32_t found = find(hash, same);
        if (found == none) add(hash, item);
        return found;
    }

private:
    struct entry {
        std::uint64_t hash;
        std::uint32_t item;
    };
    static constexpr std::size_t linear_max = 16;

    std::size_t mask() const { return table_.size() - 1; }

    void rebuild() {
        std::size_t size = 64;
        while (size < entries_.size() * 4) size *= 2;
        table_.assign(size, none);
        for (std::uint32_t i = 0; i < entries_.size(); ++i) place(i);
    }

    void place(std::uint32_t index) {
        std::size_t at = entries_[index].hash & mask();
        while (table_[at] != none) at = (at + 1) & mask();
        table_[at] = index;
    }

    std::vector<entry> entries_;
    std::vector<std::uint32_t> table_;
};

}  // namespace gym::telemetry::health
