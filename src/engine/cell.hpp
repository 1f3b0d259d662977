// SPDX-License-Identifier: Apache-2.0
//
// Cells: one thread's part of one series. The owning thread is the only writer, with relaxed loads
// and stores, no read-modify-write instruction (load + store 0.24 ns, fetch_add 4.8 ns). A cell
// holds no pointers, so that it can lie in a shared-memory mapping. What a record does to a cell is
// in <gym/telemetry/detail/cell.hpp>, where bound recorders inline it.
//
// Every cell starts with a header and continues with 8-byte words:
//     sum        value
//     ratio      numerator, denominator
//     histogram  count, sum[2], min, max, buckets[bounds + 1]
#pragma once

#include "engine/instrument_row.hpp"

#include <gym/telemetry/detail/cell.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace gym::telemetry::engine {

struct cell_header {
    std::uint32_t series;      // index in its instrument
    instrument_id instrument;  // index in the table
    std::uint16_t words;       // 8-byte words that follow
};
static_assert(sizeof(cell_header) == 8);

using gym::telemetry::detail::add;
using gym::telemetry::detail::bucket_of;
using gym::telemetry::detail::get;
using gym::telemetry::detail::get_double;
using gym::telemetry::detail::record_histogram;
using gym::telemetry::detail::set;
using gym::telemetry::detail::set_double;
using gym::telemetry::detail::try_add;
using gym::telemetry::detail::word;
namespace histogram_word = gym::telemetry::detail::histogram_word;

inline std::size_t cell_words(const instrument_row& row) noexcept {
    switch (row.how) {
        case aggregation::sum:
            return 1;
        case aggregation::ratio:
            return 2;
        case aggregation::histogram:
            return histogram_word::buckets + row.bounds.size() + 1;
        case aggregation::last_value:
        case aggregation::observed:
            return 0;
    }
    return 0;
}

inline void clear_cell(word* words, const instrument_row& row) noexcept {
    for (std::size_t i = 0; i < cell_words(row); ++i) set(words[i], 0);
    if (row.how == aggregation::histogram) {
        set_double(words[histogram_word::min], std::numeric_limits<double>::infinity());
        set_double(words[histogram_word::max], -std::numeric_limits<double>::infinity());
    }
}

// A consistent copy of one histogram cell: words count, sum, min, max, buckets...
struct histogram_copy {
    std::uint64_t count = 0;
    double sum = 0;
    double min = 0;
    double max = 0;
    std::uint64_t* buckets = nullptr;  // given by the reader, bounds + 1 of them
};

// False when the owner recorded all the time; then `to` holds the last try, whose sum may belong to
// other records than its buckets. Any thread. min and max may be one record ahead of the count.
bool read_histogram(const word* cell, std::size_t bucket_count, histogram_copy& to) noexcept;

}  // namespace gym::telemetry::engine
