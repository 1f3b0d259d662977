// SPDX-License-Identifier: Apache-2.0
#include "engine/series_cache.hpp"

#include <utility>

namespace gym::telemetry::engine {

word* series_cache::find(const series_key& key) const noexcept {
    if (used_ == 0) return nullptr;
    for (std::size_t group = key.hash & mask_;; group = (group + 1) & mask_) {
        for (std::size_t i = 8 * group; i < 8 * group + 8; ++i)
            if (slots_[i].key == &key) return slots_[i].cell;
        if (has_free(tags_[group])) return nullptr;
    }
}

void series_cache::add(const series_key& key, std::size_t count, word* cell) {
    if (count > 1 && last_ == nullptr) last_ = std::make_unique<last_set>();
    // At most three quarters full: 17 bytes a slot, 23 to 45 a series.
    if (slots_ == nullptr || 4 * (used_ + 1) > 3 * 8 * (mask_ + 1)) grow();
    put(key, cell);
    last_size_ = no_size;
    last_cell_ = cell;
}

void series_cache::grow() {
    const std::size_t groups = slots_ == nullptr ? 1 : 2 * (mask_ + 1);
    auto tags = std::make_unique<std::uint64_t[]>(groups);
    auto slots = std::make_unique<slot[]>(8 * groups);
    std::swap(tags, tags_);
    std::swap(slots, slots_);
    const std::size_t old_slots = slots == nullptr ? 0 : 8 * (mask_ + 1);
    mask_ = groups - 1;
    used_ = 0;
    for (std::size_t i = 0; i < old_slots; ++i)
        if (slots[i].key != nullptr) put(*slots[i].key, slots[i].cell);
}

void series_cache::put(const series_key& key, word* cell) noexcept {
    std::size_t group = key.hash & mask_;
    while (!has_free(tags_[group])) group = (group + 1) & mask_;
    const std::size_t at = first_byte(~tags_[group] & highs);
    tags_[group] |= tag_of(key.hash) << (8 * at);
    slots_[8 * group + at] = {&key, cell};
    ++used_;
}

}  // namespace gym::telemetry::engine
