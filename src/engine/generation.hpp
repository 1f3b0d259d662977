// SPDX-License-Identifier: Apache-2.0
//
// A generation: everything recorded between one init and its shutdown. Instruments belong to it, so
// that a later init begins with fresh ones while other threads go on recording. Its memory lives
// until the last thread that has used it ends or records into a later generation.
#pragma once

#include "engine/foreign.hpp"
#include "engine/instrument_row.hpp"
#include "engine/observables.hpp"
#include "engine/series_table.hpp"
#include "engine/snapshot.hpp"
#include "engine/thread_block.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace gym::telemetry::engine {

// Rows of the table that the engine itself records to.
struct self_metrics {
    instrument_id dropped = 0;     // instrument, reason
    instrument_id unknown = 0;     // attribute
    instrument_id series = 0;      // instrument
    instrument_id overflowed = 0;  // instrument
};

struct generation_options {
    std::span<const instrument_row> rows;
    self_metrics self;
    normalize_values normalize = nullptr;
    encode_attributes encode = nullptr;
    series_limits limits;
    bool constant_hash = false;  // see series_table
    std::shared_ptr<foreign_sink> foreign;
};

// Why a record was dropped: values of the attribute `reason`.
namespace drop_reason {
inline constexpr std::string_view not_a_number = "not_a_number", negative = "negative",
                                  overflow = "overflow", callback_failed = "callback_failed",
                                  bad_name = "bad_name";
}

class reader;

// Makes the block's view that of a thread without cells.
void hide_cells(thread_block& block) noexcept;

// Room for `size` elements, so that adding them cannot fail; at least twice what there was.
template <class T>
void reserve_for(std::vector<T>& in, std::size_t size) {
    if (size > in.capacity()) in.reserve(std::max(size, 2 * in.capacity()));
}

class generation {
public:
    explicit generation(const generation_options& options);
    ~generation();
    generation(const generation&) = delete;
    generation& operator=(const generation&) = delete;

    // The word of detail::control_words::record while this generation is in force. Bit 0 is set
    // there when every record goes the long way: the instruments are somebody else's, or, from then
    // on, a sum came near the ends of int64 (see wide_sum).
    std::uint64_t id() const noexcept { return id_; }
    std::int64_t start_time_ns() const noexcept { return start_time_ns_; }
    std::span<const instrument_row> rows() const noexcept { return options_.rows; }
    const series_table& table(instrument_id id) const noexcept { return tables_[id]; }
    observable_registry& observables() noexcept { return observables_; }
    void normalize(instrument_id id, const std::string_view* values,
                   normalized_values& to) const noexcept {
        options_.normalize(options_.rows[id], values, to);
    }
    foreign_sink* foreign() const noexcept { return options_.foreign.get(); }
    // A record of a generation whose instruments are somebody else's; what the sink throws comes
    // through. Values that are in no list of known ones are counted there, too.
    void record_foreign(instrument_id id, const std::string_view* values, measurement what) const;

    // A block for the calling thread: an idle one where there is one. Throws bad_alloc.
    thread_block* acquire_block();
    // The thread ended, or went on to another generation.
    void release_block(thread_block* block) noexcept;

    // Every record goes the long way from now on, of all threads.
    void take_back_views() noexcept;

    // Remembers a binding's cell in a block, the calling thread's. Throws bad_alloc.
    void bind(thread_block& block, std::size_t binding, word* cell);
    // The id will be another binding's: no block has a cell for it any more.
    void unbind(std::size_t binding) noexcept;

    // Records by way of the table: a new series, a value that the rules change, the overflow
    // series, a sum that the fast path does not dare. `block` is the calling thread's. No throw:
    // a record that finds no memory is lost.
    void record_slow(thread_block& block, instrument_id id, const std::string_view* values,
                     measurement what) noexcept;
    // The cell for a binding; null when its series is the overflow series or memory is out.
    word* cell_for_binding(thread_block& block, instrument_id id,
                           const std::string_view* values) noexcept;
    void count_dropped(thread_block& block, instrument_id id, std::string_view reason) noexcept;

    // Cells that all threads, living and ended, hold. For tests.
    std::size_t live_cells();
    std::size_t live_blocks();

private:
    friend class reader;
    friend class observation;

    // A sum that left the range in which thread cells cannot overflow together: kept exactly, under
    // a lock. It happens only to sums above 2^47.
    struct wide_sum {
        std::int64_t total = 0;
        std::int64_t cells = 0;  // what the cells had added up to when the total took over
    };

    word* cell_of(thread_block& block, instrument_id id, const series_table::found& where);
    void record_overflow(thread_block& block, instrument_id id, const series_table::found& where);
    void add_to_sum(thread_block& block, instrument_id id, std::uint32_t series, word& cell,
                    std::int64_t delta);
    bool add_wide(instrument_id id, std::uint32_t series, std::int64_t delta);
    std::int64_t sum_of_cells(instrument_id id, std::uint32_t series);
    thread_block* add_block();
    void fold_idle_blocks() noexcept;
    void fold(thread_block& from, thread_block& into);

    generation_options options_;
    std::uint64_t id_;
    std::int64_t start_time_ns_;
    std::unique_ptr<series_table[]> tables_;
    observable_registry observables_;

    std::mutex collect_mutex_;  // one collection at a time; taken before blocks_mutex_
    std::mutex blocks_mutex_;
    std::vector<thread_block*> blocks_;  // all, owned
    std::vector<thread_block*> idle_;
    bool collecting_ = false;  // blocks are being read: none may be folded
    bool views_taken_back_ = false;
    std::mutex wide_mutex_;  // taken before blocks_mutex_
    std::map<std::pair<instrument_id, std::uint32_t>, wide_sum> wide_;
};

}  // namespace gym::telemetry::engine
