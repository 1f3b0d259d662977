// SPDX-License-Identifier: Apache-2.0
#include "engine/arena.hpp"

#include <algorithm>
#include <new>

namespace gym::telemetry::engine {

namespace {

// A thread that records a handful of series stays at half a KiB; one with thousands does not ask
// for memory more often than every 100 histograms.
constexpr std::uint32_t first_chunk_words = 64;
constexpr std::uint32_t last_chunk_words = 2048;

}  // namespace

cell_arena::~cell_arena() {
    for (chunk* c = first_.load(std::memory_order_relaxed); c != nullptr;)
        delete std::exchange(c, c->next.load(std::memory_order_relaxed));
}

cell_arena::chunk* cell_arena::room_for(std::uint32_t words) noexcept {
    if (last_ != nullptr && last_->used.load(std::memory_order_relaxed) + words <= last_->capacity)
        return last_;
    const std::uint32_t wanted =
        last_ == nullptr ? first_chunk_words : std::min(last_->capacity * 2, last_chunk_words);
    std::unique_ptr<chunk> next(new (std::nothrow) chunk);
    if (next == nullptr) return nullptr;
    next->capacity = std::max(wanted, words);
    next->words.reset(new (std::nothrow) word[next->capacity]);
    if (next->words == nullptr) return nullptr;
    chunk* added = next.release();
    // Release: a walker that finds the chunk finds it complete.
    (last_ == nullptr ? first_ : last_->next).store(added, std::memory_order_release);
    return last_ = added;
}

word* cell_arena::add(std::uint32_t series, instrument_id instrument,
                      const instrument_row& row) noexcept {
    const auto words = static_cast<std::uint16_t>(cell_words(row));
    chunk* c = room_for(1u + words);
    if (c == nullptr) return nullptr;
    const std::uint32_t at = c->used.load(std::memory_order_relaxed);
    new (&c->words[at]) cell_header{series, instrument, words};
    clear_cell(&c->words[at + 1], row);
    // Release: the header and the clear words come before the cell counts as used.
    c->used.store(at + 1u + words, std::memory_order_release);
    ++cells_;
    return &c->words[at + 1];
}

}  // namespace gym::telemetry::engine
