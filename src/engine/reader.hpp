// SPDX-License-Identifier: Apache-2.0
//
// A reader sees everything that was recorded, whatever other readers there are. It keeps what it
// needs between its collections: buffers, and when delta what it has handed out.
#pragma once

#include "engine/generation.hpp"
#include "engine/snapshot.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace gym::telemetry::engine {

// The temporality of each kind of sum and histogram; up-down counters and gauges are cumulative.
struct temporalities {
    temporality counter = temporality::cumulative;
    temporality observable_counter = temporality::cumulative;
    temporality histogram = temporality::cumulative;
};

// Words of one histogram series in a reader's totals.
namespace total_word {
inline constexpr std::size_t count = 0, sum = 1, min = 2, max = 3, buckets = 4;
}

class reader {
public:
    reader(std::shared_ptr<generation> source, temporalities time);

    // Collects. One thread at a time for each reader; recording threads never wait for it. The
    // result points into the reader and the generation until the next call.
    const snapshot& collect();

private:
    // Totals of one instrument, by series: one word each for sums and gauges, 4 + buckets words
    // (count, sum, min, max, buckets...) for histograms.
    struct totals {
        std::vector<std::uint64_t> words;
        std::vector<std::uint64_t> before;   // delta: as of the collection before
        std::vector<std::uint8_t> reported;  // observed: by the callback, this time
        std::size_t series = 0;
        std::size_t stride = 1;
    };
    friend class observation;

    void call_observables();
    void begin_totals();
    void add_blocks();
    void add_cell(const cell_header& header, const word* words);
    void add_wide_sums();
    void add_self_metrics();
    void resize_totals(instrument_id id, std::size_t series);
    std::uint32_t intern(instrument_id id, const std::string_view* values);
    void build(instrument_id id);
    void build_numbers(instrument_id id, metric_snapshot& to);
    void build_histograms(instrument_id id, metric_snapshot& to);
    static const std::uint64_t* subtract(totals& t, std::vector<std::uint64_t>& to, std::size_t at);
    bool is_delta(const instrument_row& row) const noexcept;

    std::shared_ptr<generation> source_;
    temporalities time_;
    std::vector<totals> totals_;
    std::vector<std::vector<std::uint64_t>> deltas_;  // histogram words handed out
    std::vector<std::uint64_t> copy_;                 // buckets of one cell
    std::int64_t last_time_ns_ = 0;
    snapshot result_;
};

}  // namespace gym::telemetry::engine
