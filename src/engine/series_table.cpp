// SPDX-License-Identifier: Apache-2.0
#include "engine/series_table.hpp"

#include "engine/cell.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace gym::telemetry::engine {

namespace {

constexpr std::size_t first_slots = 16;
constexpr std::size_t first_memory = 512;
constexpr std::size_t last_memory = 16384;

// Entries before block b, for blocks of first, first, 2 first, 4 first ... entries.
std::size_t block_of(std::uint32_t series, std::size_t first) noexcept {
    return series < first ? 0 : static_cast<std::size_t>(std::bit_width(series / first));
}
std::size_t block_start(std::size_t block, std::size_t first) noexcept {
    return block == 0 ? 0 : first << (block - 1);
}

}  // namespace

series_table::~series_table() {
    for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
}

const series_entry& series_table::entry(std::uint32_t series) const noexcept {
    const std::size_t block = block_of(series, first_block);
    return blocks_[block].load(std::memory_order_acquire)[series - block_start(block, first_block)];
}

const series_key* series_table::find(const std::string_view* values,
                                     std::uint64_t hash) const noexcept {
    // Acquire pairs with the release in place(): keys found are complete.
    const slots* table = slots_.load(std::memory_order_acquire);
    if (table == nullptr) return nullptr;
    for (std::size_t at = placed(hash) & table->mask;; at = (at + 1) & table->mask) {
        const series_key* key = table->at[at].load(std::memory_order_acquire);
        if (key == nullptr) return nullptr;
        if (key->hash == hash && matches(*key, values, arity())) return key;
    }
}

series_table::found series_table::intern(const std::string_view* raw, std::uint64_t hash) {
    if (const series_key* key = find(raw, hash)) return {key->series, key};
    return intern_new(raw, hash);
}

series_table::found series_table::intern_new(const std::string_view* raw, std::uint64_t hash) {
    normalized_values normal;
    rules_.normalize(*rules_.row, raw, normal);
    const bool as_given = std::equal(raw, raw + arity(), normal.values.begin());
    const std::uint64_t normal_hash = as_given ? hash : hash_values(normal.values.data(), arity());

    if (!as_given) {
        if (const series_key* key = find(normal.values.data(), normal_hash)) {
            const std::lock_guard lock(mutex_);
            return {key->series, add_alias(raw, hash, key->series)};
        }
    }
    const std::lock_guard lock(mutex_);
    const series_key* key = find(normal.values.data(), normal_hash);
    if (key == nullptr) {
        if (full()) return {overflow_series(), nullptr, true, normal.unknown};
        key = add_series(normal, normal_hash);
    }
    return {key->series, as_given ? key : add_alias(raw, hash, key->series)};
}

const series_key* series_table::add_series(const normalized_values& to, std::uint64_t hash) {
    series_key* key = make_key(to.values.data(), hash);
    std::string encoded;
    rules_.encode(*rules_.row, to.values.data(), false, encoded);
    make_place();  // first, as a series that is there must be found
    key->series = add_entry({key, keep(encoded), nullptr, to.unknown, false});
    regular_.store(regular_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    place(key);
    return key;
}

const series_key* series_table::add_alias(const std::string_view* raw, std::uint64_t hash,
                                          std::uint32_t series) {
    for (std::size_t i = 0; i < arity(); ++i)
        if (raw[i].size() > max_value_bytes) return nullptr;
    if (const series_key* known = find(raw, hash)) return known;
    if (aliases_ >= rules_.limits.aliases) return nullptr;
    series_key* key = make_key(raw, hash);
    key->series = series;
    make_place();
    place(key);
    ++aliases_;
    return key;
}

std::uint32_t series_table::overflow_series() {
    if (overflow_ == 0) {
        const std::array<std::string_view, max_attributes> none{};
        std::string encoded;
        rules_.encode(*rules_.row, none.data(), true, encoded);
        series_key* key = make_key(none.data(), 0);
        overflow_ = add_entry({key, keep(encoded), nullptr, 0, true}) + 1;
        key->series = overflow_ - 1;
    }
    return overflow_ - 1;
}

std::uint32_t series_table::add_entry(series_entry entry) {
    const std::uint32_t series = size_.load(std::memory_order_relaxed);
    const std::size_t block = block_of(series, first_block);
    assert(block < block_count);
    const std::size_t start = block_start(block, first_block);
    series_entry* entries = blocks_[block].load(std::memory_order_relaxed);
    if (entries == nullptr) {
        entries = new series_entry[block == 0 ? first_block : start];
        blocks_[block].store(entries, std::memory_order_release);
    }
    if (rules_.row->how == aggregation::last_value)
        entry.shared = new (allocate(sizeof(word))) word(0);
    entries[series - start] = entry;
    // Release: who sees the size sees the entry.
    size_.store(series + 1, std::memory_order_release);
    return series;
}

series_key* series_table::make_key(const std::string_view* values, std::uint64_t hash) {
    const std::size_t numbers = arity() < 2 ? 0 : (arity() + 1) / 2;
    std::size_t size = numbers * sizeof(std::uint64_t) + sizeof(series_key);
    for (std::size_t i = 0; i < arity(); ++i) size += values[i].size();
    auto* const words = reinterpret_cast<std::uint64_t*>(allocate(size)) + numbers;
    for (std::size_t k = 0; k < numbers; ++k) new (words - 1 - k) std::uint64_t(0);
    auto* key = new (words) series_key;
    key->hash = hash;
    char* text = key->text();
    for (std::size_t i = 0; i < arity(); ++i) {
        assert(values[i].size() <= max_value_bytes);
        key->lengths[i] = static_cast<std::uint16_t>(values[i].size());
        const std::string_view kept(text, values[i].size());
        text = std::copy(values[i].begin(), values[i].end(), text);
        if (numbers != 0)
            words[-1 - static_cast<std::ptrdiff_t>(i / 2)] |= number_of(kept) << i % 2 * 32;
    }
    return key;
}

// The same for the same text; `value` lies in a key.
std::uint64_t series_table::number_of(std::string_view value) {
    const auto next = static_cast<std::uint32_t>(value_numbers_.size());
    return value_numbers_.try_emplace(value, next).first->second;
}

// Room for one more key. At most half of the slots are taken, so that probing is short.
void series_table::make_place() {
    const slots* table = slots_.load(std::memory_order_relaxed);
    if (table != nullptr && 2 * (keys_ + 1) <= table->mask + 1) return;
    auto grown = std::make_unique<slots>();
    const std::size_t size = table == nullptr ? first_slots : 2 * (table->mask + 1);
    grown->mask = size - 1;
    grown->at = std::make_unique<std::atomic<const series_key*>[]>(size);
    for (std::size_t i = 0; table != nullptr && i <= table->mask; ++i)
        if (const auto* old = table->at[i].load(std::memory_order_relaxed)) put(*grown, old);
    all_slots_.push_back(std::move(grown));
    slots_.store(all_slots_.back().get(), std::memory_order_release);
}

// Puts a key where find() comes by, after make_place.
void series_table::place(const series_key* key) noexcept {
    put(*slots_.load(std::memory_order_relaxed), key);
    ++keys_;
}

void series_table::put(const slots& table, const series_key* key) const noexcept {
    std::size_t at = placed(key->hash) & table.mask;
    while (table.at[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & table.mask;
    // Release: who finds the key finds its bytes.
    table.at[at].store(key, std::memory_order_release);
}

char* series_table::allocate(std::size_t size) {
    size = (size + 7) & ~std::size_t{7};
    if (size > left_) {
        const std::size_t grown =
            std::min(first_memory << std::min<std::size_t>(memory_.size(), 5), last_memory);
        const std::size_t chunk = std::max(size, grown);
        memory_.push_back(std::make_unique<char[]>(chunk));
        free_ = memory_.back().get();
        left_ = chunk;
    }
    char* at = free_;
    free_ += size;
    left_ -= size;
    return at;
}

std::string_view series_table::keep(std::string_view bytes) {
    char* at = allocate(bytes.size());
    std::copy(bytes.begin(), bytes.end(), at);
    return {at, bytes.size()};
}

}  // namespace gym::telemetry::engine
