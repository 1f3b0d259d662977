// SPDX-License-Identifier: Apache-2.0
//
// What the collections of a case showed. All of them are looked at, the last ones are kept.
#pragma once

#include <gym/telemetry/collection.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

class observations {
public:
    explicit observations(temporality time) : time_(time) {}

    // Notes a collection of a reader. Any thread; a reader's collections in their order.
    void add(int reader, const collection& seen);
    // The generation that the collections came from is over: its self-metrics stay counted.
    void end_generation();

    // The points of a reader's last collection; none when there was none.
    const std::vector<point>& last(int reader = 0) const;
    std::size_t readers() const { return last_.size(); }

    // Over all generations, by the label that is summed up by ("reason" or "attribute").
    std::int64_t dropped(std::string_view reason) const;
    std::int64_t dropped() const;
    std::int64_t unknown_values() const;
    bool has_seen(const std::string& instrument) const { return instruments_.contains(instrument); }

    // The first of its kind that was met in any collection; empty when there was none.
    const std::string& negative() const { return negative_; }
    const std::string& bucket_mismatch() const { return bucket_mismatch_; }
    const std::string& sum_mismatch() const { return sum_mismatch_; }

private:
    using counts = std::map<std::string, std::int64_t, std::less<>>;
    void look_at(const point& p);
    void count_self_metrics(const collection& seen);
    static void add_to(counts& to, const counts& from);

    temporality time_;
    std::mutex mutex_;
    std::map<int, collection> last_;
    std::set<std::string> instruments_;
    counts dropped_, dropped_now_;  // of the generations before, of this one
    std::int64_t unknown_ = 0, unknown_now_ = 0;
    std::string negative_, bucket_mismatch_, sum_mismatch_;
};

// The values of all series of an instrument, added up.
double total_of(const std::vector<point>& points, std::string_view instrument);
// The points of one instrument.
std::vector<point> of_instrument(const std::vector<point>& points, std::string_view instrument);

}  // namespace gym::telemetry::cases
