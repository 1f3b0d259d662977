// SPDX-License-Identifier: Apache-2.0
#include "engine/thread_block.hpp"

namespace gym::telemetry::engine {

namespace {

constexpr std::size_t first_slots = 8;

constexpr series_key make_no_key() {
    series_key key;
    key.lengths.fill(0xffff);  // longer than any value that is cached
    return key;
}

}  // namespace

constinit const series_key series_cache::no_key = make_no_key();

word* series_cache::find(const series_key& key) const noexcept {
    if (used_ == 0) return nullptr;
    for (std::size_t at = key.hash & mask_; tags_[at] != 0; at = (at + 1) & mask_)
        if (slots_[at].key == &key) return slots_[at].cell;
    return nullptr;
}

void series_cache::add(const series_key& key, word* cell) {
    // At most three quarters full: 18 bytes a slot, 24 to 48 a series.
    if (slots_ == nullptr || 4 * (used_ + 1) > 3 * (mask_ + 1)) grow();
    put(key, cell);
    last_key_ = &key;
    last_cell_ = cell;
}

void series_cache::grow() {
    const std::size_t size = slots_ == nullptr ? first_slots : 2 * (mask_ + 1);
    auto tags = std::make_unique<std::uint16_t[]>(size);
    auto slots = std::make_unique_for_overwrite<slot[]>(size);
    std::swap(tags, tags_);
    std::swap(slots, slots_);
    const std::size_t old_size = tags == nullptr ? 0 : mask_ + 1;
    mask_ = size - 1;
    used_ = 0;
    for (std::size_t i = 0; i < old_size; ++i)
        if (tags[i] != 0) put(*slots[i].key, slots[i].cell);
}

void series_cache::put(const series_key& key, word* cell) noexcept {
    std::size_t at = key.hash & mask_;
    while (tags_[at] != 0) at = (at + 1) & mask_;
    tags_[at] = tag_of(key.hash);
    slots_[at] = {&key, cell};
    ++used_;
}

}  // namespace gym::telemetry::engine
