// SPDX-License-Identifier: Apache-2.0
#include "engine/reader.hpp"

#include "base/clock.hpp"
#include "engine/threads.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace gym::telemetry::engine {

// What one callback says, kept apart until it has returned: one that throws loses its own points.
class observation final : public observer {
public:
    observation(reader& to, generation& source, instrument_id id)
        : to_(to), source_(source), id_(id) {}

    void observe(const std::string_view* values, std::int64_t value) override {
        add(values, static_cast<std::uint64_t>(value));
    }
    void observe(const std::string_view* values, double value) override {
        add(values, std::bit_cast<std::uint64_t>(value));
    }
    void drop(std::string_view reason) override {
        if (thread_block* block = attach_this_thread(&source_))
            source_.count_dropped(*block, id_, reason);
    }

    void commit() {
        reader::totals& totals = to_.totals_[id_];
        for (const auto& [series, value] : seen_) {
            if (series >= totals.series) to_.resize_totals(id_, series + 1);
            // Two names may become one series, by the rules for values: their counts add up.
            const bool again =
                totals.reported[series] != 0 && source_.rows()[id_].kind != instrument_kind::gauge;
            totals.words[series] = again ? totals.words[series] + value : value;
            totals.reported[series] = 1;
        }
    }

private:
    void add(const std::string_view* values, std::uint64_t value) {
        const std::size_t arity = source_.rows()[id_].attributes.size();
        const auto where = source_.tables_[id_].intern(values, hash_values(values, arity));
        seen_.emplace_back(where.series, value);
    }

    reader& to_;
    generation& source_;
    instrument_id id_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> seen_;
};

reader::reader(std::shared_ptr<generation> source, temporalities time)
    : source_(std::move(source)),
      time_(time),
      totals_(source_->rows().size()),
      deltas_(source_->rows().size()),
      last_time_ns_(source_->start_time_ns()) {
    std::size_t most_buckets = 0;
    for (std::size_t id = 0; id < totals_.size(); ++id) {
        const instrument_row& row = source_->rows()[id];
        if (row.how == aggregation::ratio) totals_[id].stride = 2;
        if (row.how != aggregation::histogram) continue;
        totals_[id].stride = total_word::buckets + row.bounds.size() + 1;
        most_buckets = std::max(most_buckets, row.bounds.size() + 1);
    }
    copy_.resize(most_buckets);
    result_.metrics.resize(totals_.size());
}

const snapshot& reader::collect() {
    for (totals& t : totals_) std::ranges::fill(t.reported, 0);
    call_observables();
    begin_totals();
    add_blocks();
    add_wide_sums();
    add_self_metrics();

    result_.start_time_ns = source_->start_time_ns();
    result_.time_ns = std::max(detail::wall_now_ns(), last_time_ns_);
    for (std::size_t id = 0; id < totals_.size(); ++id) build(static_cast<instrument_id>(id));
    last_time_ns_ = result_.time_ns;
    return result_;
}

void reader::call_observables() {
    for (const auto& entry : source_->observables_.entries()) {
        observation seen(*this, *source_, entry.instrument);
        try {
            source_->observables_.call(entry, seen);
            seen.commit();
        } catch (...) {  // whatever a user's callback throws: its points are absent this time
            seen.drop(drop_reason::callback_failed);
        }
    }
}

void reader::resize_totals(instrument_id id, std::size_t series) {
    totals& t = totals_[id];
    t.series = series;
    t.words.resize(series * t.stride);
    if (source_->rows()[id].how == aggregation::observed) t.reported.resize(series);
}

void reader::begin_totals() {
    for (std::size_t i = 0; i < totals_.size(); ++i) {
        const auto id = static_cast<instrument_id>(i);
        const instrument_row& row = source_->rows()[id];
        totals& t = totals_[id];
        resize_totals(id, source_->tables_[id].size());
        if (row.how != aggregation::observed) std::ranges::fill(t.words, 0);
    }
}

void reader::add_blocks() {
    generation& source = *source_;
    const std::lock_guard one_at_a_time(source.collect_mutex_);
    std::vector<thread_block*> blocks;
    {
        const std::lock_guard lock(source.blocks_mutex_);
        blocks = source.blocks_;
        source.collecting_ = true;
    }
    for (const thread_block* block : blocks)
        block->arena.walk([&](const cell_header& h, const word* words) { add_cell(h, words); });
    const std::lock_guard lock(source.blocks_mutex_);
    source.collecting_ = false;
    source.fold_idle_blocks();
}

void reader::add_cell(const cell_header& header, const word* words) {
    totals& t = totals_[header.instrument];
    if (header.series >= t.series) return;  // born since this collection began
    std::uint64_t* to = &t.words[header.series * t.stride];
    if (source_->rows()[header.instrument].how != aggregation::histogram) {
        for (std::size_t i = 0; i < t.stride; ++i) to[i] += get(words[i]);
        return;
    }
    const bool first = to[total_word::count] == 0;
    const std::size_t buckets = t.stride - total_word::buckets;
    histogram_copy copy{.buckets = first ? to + total_word::buckets : copy_.data()};
    read_histogram(words, buckets, copy);
    const auto fold = [&](std::size_t at, double value, auto combine) {
        to[at] = std::bit_cast<std::uint64_t>(
            first ? value : combine(std::bit_cast<double>(to[at]), value));
    };
    fold(total_word::sum, copy.sum, [](double a, double b) { return a + b; });
    fold(total_word::min, copy.min, [](double a, double b) { return std::min(a, b); });
    fold(total_word::max, copy.max, [](double a, double b) { return std::max(a, b); });
    to[total_word::count] += copy.count;
    if (!first)
        for (std::size_t i = 0; i < buckets; ++i) to[total_word::buckets + i] += copy_[i];
}

void reader::add_wide_sums() {
    const std::lock_guard lock(source_->wide_mutex_);
    for (const auto& [where, sum] : source_->wide_) {
        totals& t = totals_[where.first];
        if (where.second >= t.series) continue;
        // What the cells gained since belongs to records that were under way when the total took
        // over; the sum of both is cut at the ends of int64 rather than wrapped.
        const std::int64_t late = static_cast<std::int64_t>(t.words[where.second]) - sum.cells;
        std::int64_t total = 0;
        if (__builtin_add_overflow(sum.total, late, &total))
            total = late < 0 ? std::numeric_limits<std::int64_t>::min()
                             : std::numeric_limits<std::int64_t>::max();
        t.words[where.second] = static_cast<std::uint64_t>(total);
    }
}

// gym.telemetry.series and the unknown values: found here, so that they cost the recorders nothing.
void reader::add_self_metrics() {
    const self_metrics& self = source_->options_.self;
    for (std::size_t i = 0; i < totals_.size(); ++i) {
        const instrument_row& row = source_->rows()[i];
        const series_table& table = source_->tables_[i];
        if (row.self_metric || totals_[i].series == 0) continue;
        const auto gauge = intern(self.series, &row.name);
        set_double(*source_->tables_[self.series].entry(gauge).shared,
                   static_cast<double>(totals_[i].series));
        for (std::uint32_t s = 0; s < totals_[i].series; ++s) {
            const std::uint8_t unknown = table.entry(s).unknown;
            for (std::size_t a = 0; unknown >> a != 0; ++a)
                if (unknown >> a & 1)
                    totals_[self.unknown].words[intern(self.unknown, &row.attributes[a].key)] +=
                        totals_[i].words[s * totals_[i].stride];
        }
    }
    for (std::size_t i = 0; i < totals_.size(); ++i)
        if (source_->rows()[i].how == aggregation::last_value)
            for (std::uint32_t s = 0; s < totals_[i].series; ++s)
                totals_[i].words[s] = get(*source_->tables_[i].entry(s).shared);
}

std::uint32_t reader::intern(instrument_id id, const std::string_view* values) {
    const std::size_t arity = source_->rows()[id].attributes.size();
    const std::uint32_t series =
        source_->tables_[id].intern(values, hash_values(values, arity)).series;
    if (series >= totals_[id].series) resize_totals(id, series + 1);
    return series;
}

bool reader::is_delta(const instrument_row& row) const noexcept {
    switch (row.kind) {
        case instrument_kind::counter:
            return time_.counter == temporality::delta;
        case instrument_kind::observable_counter:
            return time_.observable_counter == temporality::delta;
        case instrument_kind::histogram:
            return time_.histogram == temporality::delta;
        case instrument_kind::up_down_counter:
        case instrument_kind::gauge:
            return false;
    }
    return false;
}

void reader::build(instrument_id id) {
    const instrument_row& row = source_->rows()[id];
    metric_snapshot& to = result_.metrics[id];
    to.numbers.clear();
    to.histograms.clear();
    to.instrument = &row;
    to.id = id;
    to.time = is_delta(row) ? temporality::delta : temporality::cumulative;
    to.start_time_ns = is_delta(row) ? last_time_ns_ : source_->start_time_ns();
    if (row.how == aggregation::histogram)
        build_histograms(id, to);
    else
        build_numbers(id, to);
}

void reader::build_numbers(instrument_id id, metric_snapshot& to) {
    const instrument_row& row = *to.instrument;
    totals& t = totals_[id];
    const bool delta = to.time == temporality::delta;
    if (delta) t.before.resize(t.series);
    to.numbers.reserve(t.series);
    for (std::uint32_t s = 0; s < t.series; ++s) {
        if (row.how == aggregation::observed && t.reported[s] == 0) continue;
        number_point point{.series = &source_->tables_[id].entry(s), .integer = 0};
        const std::uint64_t* words = &t.words[s * t.stride];
        if (row.how == aggregation::ratio) {
            if (words[1] == 0) continue;
            point.real = static_cast<double>(words[0]) / static_cast<double>(words[1]);
        } else {
            std::uint64_t value = words[0];
            // A series is born a moment before its first record: a counter of 0 is none yet.
            if (row.kind == instrument_kind::counter && value == 0) continue;
            if (delta) {
                const std::uint64_t before = std::exchange(t.before[s], value);
                if (value == before) continue;
                if (value > before) value -= before;  // a fall is a reset: all of it is new
            }
            point.integer = static_cast<std::int64_t>(value);
        }
        to.numbers.push_back(point);
    }
}

void reader::build_histograms(instrument_id id, metric_snapshot& to) {
    totals& t = totals_[id];
    const bool delta = to.time == temporality::delta;
    to.has_min_max = !delta;
    if (delta) {
        t.before.resize(t.words.size());
        deltas_[id].resize(t.words.size());
    }
    to.histograms.reserve(t.series);
    for (std::uint32_t s = 0; s < t.series; ++s) {
        const std::uint64_t* words = &t.words[s * t.stride];
        if (words[total_word::count] == 0) continue;
        if (delta) {
            words = subtract(t, deltas_[id], s * t.stride);
            if (words[total_word::count] == 0) continue;
        }
        to.histograms.push_back({&source_->tables_[id].entry(s), words[total_word::count],
                                 std::bit_cast<double>(words[total_word::sum]),
                                 std::bit_cast<double>(words[total_word::min]),
                                 std::bit_cast<double>(words[total_word::max]),
                                 words + total_word::buckets});
    }
}

// The difference to the collection before, which is then forgotten.
const std::uint64_t* reader::subtract(totals& t, std::vector<std::uint64_t>& to, std::size_t at) {
    for (std::size_t i = 0; i < t.stride; ++i) to[at + i] = t.words[at + i] - t.before[at + i];
    const auto real = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    to[at + total_word::sum] = std::bit_cast<std::uint64_t>(real(t.words[at + total_word::sum]) -
                                                            real(t.before[at + total_word::sum]));
    std::copy_n(&t.words[at], t.stride, &t.before[at]);
    return &to[at];
}

}  // namespace gym::telemetry::engine
