// SPDX-License-Identifier: Apache-2.0
#include "engine/generation.hpp"

#include "base/clock.hpp"
#include "engine/threads.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <new>

namespace gym::telemetry::engine {

namespace {

// Even numbers: bit 0 sends every record the long way. Never used again in one process, so an
// old thread cache can never be taken for one of a later generation.
std::atomic<std::uint64_t> next_generation{2};

}  // namespace

generation::generation(const generation_options& options)
    : options_(options),
      id_(next_generation.fetch_add(2, std::memory_order_relaxed)),
      start_time_ns_(detail::wall_now_ns()),
      tables_(std::make_unique<series_table[]>(options.rows.size())),
      views_taken_back_(options.foreign != nullptr) {
    for (std::size_t i = 0; i < options.rows.size(); ++i) {
        assert(options.rows[i].attributes.size() <= max_attributes);
        series_limits limits = options.limits;
        if (options.rows[i].self_metric) limits.series = 0;  // their values come from tables
        tables_[i].set_rules(
            {&options_.rows[i], options.normalize, options.encode, limits, options.constant_hash});
    }
}

generation::~generation() {
    for (thread_block* block : blocks_) delete block;
}

thread_block* generation::acquire_block() {
    const std::lock_guard lock(blocks_mutex_);
    if (idle_.empty()) return add_block();
    thread_block* block = idle_.back();
    idle_.pop_back();
    return block;
}

// blocks_mutex_ held.
thread_block* generation::add_block() {
    auto block = std::make_unique<thread_block>();
    block->caches = std::make_unique<series_cache[]>(options_.rows.size());
    block->owner = this;
    hide_cells(*block);
    if (!views_taken_back_)
        block->view.caches.store(block->caches.get(), std::memory_order_relaxed);
    reserve_for(blocks_, blocks_.size() + 1);
    reserve_for(idle_, blocks_.size() + 1);  // so that a thread can always end
    blocks_.push_back(block.get());
    return block.release();
}

void generation::release_block(thread_block* block) noexcept {
    const std::lock_guard lock(blocks_mutex_);
    idle_.push_back(block);
    if (!collecting_) fold_idle_blocks();
}

void generation::take_back_views() noexcept {
    const std::lock_guard lock(blocks_mutex_);
    views_taken_back_ = true;
    for (thread_block* block : blocks_) hide_cells(*block);
}

void generation::bind(thread_block& block, std::size_t binding, word* cell) {
    const std::lock_guard lock(blocks_mutex_);
    block.bound.reserve();
    block.bound.cells()[binding].store(cell, std::memory_order_relaxed);
    if (!views_taken_back_) block.view.bound.store(block.bound.cells(), std::memory_order_relaxed);
}

void generation::unbind(std::size_t binding) noexcept {
    const std::lock_guard lock(blocks_mutex_);
    for (const thread_block* block : blocks_)
        if (block->bound.cells() != nullptr)
            block->bound.cells()[binding].store(nullptr, std::memory_order_relaxed);
}

// One idle block stays, for the next thread; what the others hold goes into it. blocks_mutex_ held.
void generation::fold_idle_blocks() noexcept {
    while (idle_.size() > 1) {
        thread_block* from = idle_.back();
        try {
            fold(*from, *idle_.front());
        } catch (const std::bad_alloc&) {
            return;  // both stay: nothing is lost, some memory is not given back yet
        }
        idle_.pop_back();
        std::erase(blocks_, from);
        delete from;
    }
}

void generation::fold(thread_block& from, thread_block& into) {
    // First all that can fail, so that a record is never counted twice.
    from.arena.walk([&](const cell_header& header, const word*) {
        const series_entry& entry = tables_[header.instrument].entry(header.series);
        if (cell_of(into, header.instrument, {header.series, entry.key}) == nullptr)
            throw std::bad_alloc();
    });
    from.arena.walk([&](const cell_header& header, const word* words) {
        const series_entry& entry = tables_[header.instrument].entry(header.series);
        word* to = into.caches[header.instrument].cell_of(*entry.key, entry.overflow);
        using namespace histogram_word;
        if (options_.rows[header.instrument].how != aggregation::histogram) {
            for (std::size_t i = 0; i < header.words; ++i) set(to[i], get(to[i]) + get(words[i]));
            return;
        }
        const std::uint64_t added = get(words[count]);
        const double total =
            get_double(to[sum + (get(to[count]) & 1)]) + get_double(words[sum + (added & 1)]);
        set(to[count], get(to[count]) + added);
        set_double(to[sum + (get(to[count]) & 1)], total);
        set_double(to[min], std::min(get_double(to[min]), get_double(words[min])));
        set_double(to[max], std::max(get_double(to[max]), get_double(words[max])));
        for (std::size_t i = buckets; i < header.words; ++i) set(to[i], get(to[i]) + get(words[i]));
    });
}

word* generation::cell_of(thread_block& block, instrument_id id, const series_table::found& where) {
    const series_entry& entry = tables_[id].entry(where.series);
    series_cache& cache = block.caches[id];
    if (entry.shared != nullptr) return entry.shared;
    if (word* known = cache.cell_of(*entry.key, entry.overflow)) return known;
    word* cell = block.arena.add(where.series, id, options_.rows[id]);
    if (cell == nullptr) return nullptr;
    if (entry.overflow)
        cache.overflow = cell;
    else
        cache.add(*entry.key, options_.rows[id].attributes.size(), cell);
    return cell;
}

void generation::record_slow(thread_block& block, instrument_id id, const std::string_view* values,
                             measurement what) noexcept {
    const instrument_row& row = options_.rows[id];
    try {
        const std::uint64_t hash = hash_values(values, row.attributes.size());
        const series_table::found where = tables_[id].intern(values, hash);
        word* cell = cell_of(block, id, where);
        if (cell == nullptr) return;
        // The series' own key is in the cache now; a raw form that means it joins it there.
        if (where.key != nullptr && block.caches[id].find(*where.key) == nullptr)
            block.caches[id].add(*where.key, row.attributes.size(), cell);
        if (where.overflow) record_overflow(block, id, where);
        switch (row.how) {
            case aggregation::sum:
                add_to_sum(block, id, where.series, *cell, what.integer);
                break;
            case aggregation::histogram:
                record_histogram(cell, bucket_of(row.bounds, what.real), what.real);
                break;
            case aggregation::ratio:
                set(cell[0], get(cell[0]) + static_cast<std::uint64_t>(what.integer));
                set(cell[1], get(cell[1]) + 1);
                break;
            case aggregation::last_value:
                set_double(*cell, what.real);
                break;
            case aggregation::observed:
                assert(false);
                break;
        }
    } catch (const std::bad_alloc&) {
        // The promise is never to throw into the caller; there is nobody to tell either.
    }
}

word* generation::cell_for_binding(thread_block& block, instrument_id id,
                                   const std::string_view* values) noexcept {
    try {
        const std::uint64_t hash = hash_values(values, options_.rows[id].attributes.size());
        const series_table::found where = tables_[id].intern(values, hash);
        return where.overflow ? nullptr : cell_of(block, id, where);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void generation::record_overflow(thread_block& block, instrument_id id,
                                 const series_table::found& where) {
    const instrument_row& row = options_.rows[id];
    record_slow(block, options_.self.overflowed, &row.name, {1});
    for (std::size_t i = 0; i < row.attributes.size(); ++i)
        if (where.unknown >> i & 1)
            record_slow(block, options_.self.unknown, &row.attributes[i].key, {1});
}

void generation::count_dropped(thread_block& block, instrument_id id,
                               std::string_view reason) noexcept {
    const std::string_view values[] = {options_.rows[id].name, reason};
    if (options_.foreign != nullptr) return record_elsewhere(options_.self.dropped, values, {1});
    record_slow(block, options_.self.dropped, values, {1});
}

void generation::add_to_sum(thread_block& block, instrument_id id, std::uint32_t series, word& cell,
                            std::int64_t delta) {
    const bool wide = gym::telemetry::detail::recording() & 1;
    if (!wide && try_add(cell, delta)) return;
    if (!add_wide(id, series, delta)) count_dropped(block, id, drop_reason::overflow);
}

// False when the total would leave int64. From the first wide sum on every record of this
// generation comes by the slow path, so that no cell moves behind the total's back; a record that
// another thread is in the middle of just then is added to the total by the collection.
bool generation::add_wide(instrument_id id, std::uint32_t series, std::int64_t delta) {
    const std::lock_guard lock(wide_mutex_);
    std::uint64_t expected = id_;
    if (gym::telemetry::detail::control.record.compare_exchange_strong(expected, id_ | 1,
                                                                       std::memory_order_relaxed))
        take_back_views();
    const auto [at, added] = wide_.try_emplace({id, series});
    if (added) at->second.cells = at->second.total = sum_of_cells(id, series);
    std::int64_t total = 0;
    if (__builtin_add_overflow(at->second.total, delta, &total)) return false;
    at->second.total = total;
    return true;
}

std::int64_t generation::sum_of_cells(instrument_id id, std::uint32_t series) {
    const std::lock_guard lock(blocks_mutex_);
    std::int64_t total = 0;
    for (const thread_block* block : blocks_)
        block->arena.walk([&](const cell_header& header, const word* words) {
            if (header.instrument == id && header.series == series)
                total += static_cast<std::int64_t>(get(words[0]));
        });
    return total;
}

std::size_t generation::live_cells() {
    const std::lock_guard lock(blocks_mutex_);
    std::size_t cells = 0;
    for (const thread_block* block : blocks_)
        block->arena.walk([&](const cell_header&, const word*) { ++cells; });
    return cells;
}

std::size_t generation::live_blocks() {
    const std::lock_guard lock(blocks_mutex_);
    return blocks_.size();
}

}  // namespace gym::telemetry::engine
