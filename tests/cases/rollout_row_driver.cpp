// SPDX-License-Identifier: Apache-2.0
//
// Driver `rollout_row`: the reader of one result row and the rollout call site.
#include "compare.hpp"
#include "drivers.hpp"
#include "expectations.hpp"
#include "rollout/json_scan.hpp"
#include "rollout/line_reader.hpp"
#include "rollout/rollout_row.hpp"
#include "rollout_row_play.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/rollout.hpp>

#include <algorithm>
#include <cmath>

namespace gym::telemetry::cases {

namespace {

// Records each row with the dispatch name that it gives.
class recording_sink final : public rollout::row_sink {
public:
    explicit recording_sink(std::string outcome) : outcome_(std::move(outcome)) {}
    void accept(const rollout::row& r, std::string_view, std::uint64_t) override {
        record_rollout_row(rollout::to_recorded(r), outcome_, r.dispatch_name());
    }
    void refuse(rollout::reject reason, std::uint64_t) override {
        reasons.emplace_back(to_text(reason));
    }
    std::vector<std::string> reasons;

private:
    std::string outcome_;
};

std::vector<std::string> replay_row(const case_file& c, const std::string& outcome) {
    const std::string line = c.given_text("row_text") + "\n";
    rollout::row_tools tools;
    rollout::line_reader reader(tools);
    recording_sink sink(outcome);
    for (std::size_t done = 0; done < line.size();) {
        const std::span<char> room = reader.room();
        const std::size_t n = std::min(room.size(), line.size() - done);
        std::copy_n(line.begin() + static_cast<std::ptrdiff_t>(done), n, room.begin());
        reader.added(n, sink);
        done += n;
    }
    reader.finish(sink);
    return sink.reasons;
}

// JSON has no NaN: such a row comes from a driver that has its fields at hand.
void record_nan_row(json_value row, const std::string& outcome, const std::string& dispatch_name) {
    for (auto& [key, value] : row.members)
        if (value.is_number() && value.text == "NaN") value.text = "0";
    const std::string line = to_json(row) + "\n" + std::string(rollout::scan_padding, ' ');
    rollout::row_reader reader;
    require(reader.read(line.data()) == rollout::reject::none, "the row is no row");
    rollout_row recorded = rollout::to_recorded(reader.last());
    recorded.reward = std::nan("");
    record_rollout_row(recorded, outcome, dispatch_name);
}

// Scored attempts less those with a reward.
double unscored(const std::vector<point>& points, const observations& seen) {
    double scored = 0;
    for (const point& p : of_instrument(points, rollout_completed_instrument))
        for (const auto& [key, value] : p.attributes)
            if (key == rollout_outcome_attribute && value == attribute_value(std::string("scored")))
                scored += value_of(p);
    return scored - total_of(points, rollout_rewarded_instrument) -
           static_cast<double>(seen.dropped("not_a_number"));
}

}  // namespace

void record_row(const call& f) {
    const json_value row = expanded(f.at("row"));
    const json_value* reward = row.find("reward");
    if (reward && reward->is_number() && reward->text == "NaN")
        record_nan_row(row, f.text("outcome"), f.text("dispatch_name"));
    else
        record_rollout_row(to_json(row), f.text("outcome"), f.text("dispatch_name"));
}

namespace {

void check_refused(const case_file& c, const std::vector<std::string>& reasons) {
    if (const json_value* rejected = c.expects("rows_rejected"))
        require(static_cast<std::int64_t>(reasons.size()) == int64_of(*rejected),
                std::to_string(reasons.size()) + " rows rejected");
    if (const json_value* reason = c.expects("reason"))
        require(reasons.size() == 1 && reasons.front() == text_of(*reason),
                reasons.empty() ? "nothing was refused" : "the reason is " + reasons.front());
}

void check_unscored(const case_file& c, const observations& seen) {
    const json_value* expected = c.expects("unscored");
    const double actual = unscored(seen.last(), seen);
    require(actual == (expected ? number_of(*expected) : 0),
            std::to_string(actual) + " unscored rows");
}

}  // namespace

void play_rollout_row(const case_file& c) {
    case_telemetry telemetry(c);
    std::vector<std::string> reasons;
    for (const call& f : c.calls)
        for (std::int64_t i = 0; i < f.repeat; ++i) {
            if (f.fn == "record_rollout_row") {
                record_row(f);
            } else if (f.fn == "replay_row") {
                for (std::string& reason : replay_row(c, f.text("outcome")))
                    reasons.push_back(std::move(reason));
            } else {
                throw failure("call not played: " + f.fn);
            }
        }
    telemetry.collect_all();
    check_points(c, telemetry);
    check_self_metrics(c, telemetry.seen());
    check_refused(c, reasons);
    check_unscored(c, telemetry.seen());
    check_label_properties(c, telemetry.seen());
}

}  // namespace gym::telemetry::cases
