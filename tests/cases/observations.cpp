// SPDX-License-Identifier: Apache-2.0
#include "observations.hpp"

#include "compare.hpp"

#include <numeric>

namespace gym::telemetry::cases {

namespace {

bool is_self_metric(const point& p) {
    return p.instrument.starts_with("gym.telemetry.");
}

std::string attribute_text(const point& p, std::string_view key) {
    for (const auto& [name, value] : p.attributes)
        if (name == key)
            if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return {};
}

void note_first(std::string& to, bool holds, const point& p) {
    if (!holds && to.empty()) to = shown(p);
}

bool is_below_zero(const point& p) {
    const histogram_value* h = histogram_of(p);
    return h ? h->sum < 0 : value_of(p) < 0;
}

}  // namespace

void observations::add(int reader, const collection& seen) {
    const std::lock_guard lock(mutex_);
    for (const point& p : seen.points)
        if (!is_self_metric(p)) look_at(p);
    if (reader == 0) count_self_metrics(seen);
    last_[reader] = seen;
}

void observations::look_at(const point& p) {
    instruments_.insert(p.instrument);
    note_first(negative_, !is_below_zero(p), p);
    const histogram_value* h = histogram_of(p);
    if (h == nullptr) return;
    const auto in_buckets =
        std::accumulate(h->bucket_counts.begin(), h->bucket_counts.end(), std::uint64_t{0});
    note_first(bucket_mismatch_, in_buckets == h->count, p);
    // Only meaningful where a case records nothing but 100 and 700.
    const bool matches = h->bucket_counts.size() > 2 &&
                         h->sum == 100.0 * static_cast<double>(h->bucket_counts[0]) +
                                       700.0 * static_cast<double>(h->bucket_counts[2]);
    note_first(sum_mismatch_, matches, p);
}

void observations::count_self_metrics(const collection& seen) {
    counts dropped;
    std::int64_t unknown = 0;
    for (const point& p : seen.points) {
        const auto* value = std::get_if<std::int64_t>(&p.value);
        if (value == nullptr) continue;
        if (p.instrument == "gym.telemetry.dropped_total")
            dropped[attribute_text(p, "reason")] += *value;
        if (p.instrument == "gym.telemetry.unknown_value_total") unknown += *value;
    }
    if (time_ == temporality::delta) {
        add_to(dropped_now_, dropped);
        unknown_now_ += unknown;
    } else {
        dropped_now_ = dropped;
        unknown_now_ = unknown;
    }
}

void observations::end_generation() {
    const std::lock_guard lock(mutex_);
    add_to(dropped_, dropped_now_);
    unknown_ += unknown_now_;
    dropped_now_.clear();
    unknown_now_ = 0;
}

void observations::add_to(counts& to, const counts& from) {
    for (const auto& [reason, count] : from) to[reason] += count;
}

const std::vector<point>& observations::last(int reader) const {
    static const std::vector<point> none;
    const auto at = last_.find(reader);
    return at == last_.end() ? none : at->second.points;
}

std::int64_t observations::dropped(std::string_view reason) const {
    std::int64_t sum = 0;
    for (const counts* from : {&dropped_, &dropped_now_})
        if (const auto at = from->find(reason); at != from->end()) sum += at->second;
    return sum;
}

std::int64_t observations::dropped() const {
    std::int64_t sum = 0;
    for (const counts* from : {&dropped_, &dropped_now_})
        for (const auto& entry : *from) sum += entry.second;
    return sum;
}

std::int64_t observations::unknown_values() const {
    return unknown_ + unknown_now_;
}

std::vector<point> of_instrument(const std::vector<point>& points, std::string_view instrument) {
    std::vector<point> to;
    for (const point& p : points)
        if (p.instrument == instrument) to.push_back(p);
    return to;
}

double total_of(const std::vector<point>& points, std::string_view instrument) {
    double sum = 0;
    for (const point& p : points)
        if (p.instrument == instrument) sum += value_of(p);
    return sum;
}

}  // namespace gym::telemetry::cases
