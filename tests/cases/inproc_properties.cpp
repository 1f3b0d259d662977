// SPDX-License-Identifier: Apache-2.0
//
// The properties of the driver `inproc`.
#include "compare.hpp"
#include "inproc_play.hpp"
#include "measure.hpp"
#include "otlp_check.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace gym::telemetry::cases {

namespace {

constexpr std::string_view overflow_key = "otel.metric.overflow";

bool has_only(const point& p, std::string_view key, bool flag) {
    if (p.attributes.size() != 1 || p.attributes.front().first != key) return false;
    const bool* value = std::get_if<bool>(&p.attributes.front().second);
    return value != nullptr && *value == flag;
}

// What a property is looked at with.
struct view {
    inproc_play& played;
    std::string_view instrument;
    const json_value& property;

    observations& seen() const { return played.telemetry.seen(); }
    double n() const { return number_of(*property.find("n")); }
    std::string field(std::string_view name) const { return text_of(*property.find(name)); }
    // The series of the instrument in the last collection.
    std::vector<point> series() const { return of_instrument(seen().last(), instrument); }
    // All points of the last collection that are not about telemetry itself.
    std::vector<point> points() const { return without_own(seen().last()); }
    const point* only_series() const {
        static thread_local std::vector<point> kept;
        kept = series();
        require(kept.size() < 2, "there is more than one series");
        return kept.empty() ? nullptr : &kept.front();
    }
    double total() const { return total_of(seen().last(), instrument); }
};

void for_each_text(const std::vector<point>& points,
                   const std::function<void(const std::string&)>& look) {
    for (const point& p : points)
        for (const auto& attribute : p.attributes)
            if (const auto* value = std::get_if<std::string>(&attribute.second)) look(*value);
}

const point* overflow_series(const std::vector<point>& series) {
    const auto at = std::ranges::find_if(
        series, [](const point& p) { return has_only(p, overflow_key, true); });
    return at == series.end() ? nullptr : &*at;
}

void series_value(const view& v) {
    for (const point& p : v.points())
        if (same_attributes(p, *v.property.find("attributes")))
            return expect_eq(value_of(p), v.n(), shown(p));
    throw failure("no series with the attributes " + to_json(*v.property.find("attributes")));
}

void overflow_attribute(const view& v) {
    const auto series = v.series();
    const bool flag = v.property.find("value")->flag;
    require(std::ranges::any_of(series,
                                [&](const point& p) { return has_only(p, v.field("key"), flag); }),
            "no series has only the attribute " + v.field("key"));
}

void overflow_value_eq(const view& v) {
    const auto series = v.series();
    const point* overflow = overflow_series(series);
    require(overflow != nullptr, "there is no overflow series");
    expect_eq(value_of(*overflow), v.n(), "the overflow series");
}

void last_bucket_eq(const view& v) {
    const point* only = v.only_series();
    const histogram_value* h = only ? histogram_of(*only) : nullptr;
    require(h != nullptr, "there is no histogram");
    expect_eq(static_cast<double>(h->bucket_counts.back()), v.n(), "the last bucket");
}

void sum_is_inf_or_clamped(const view& v) {
    const bool flagged = v.seen().dropped("overflow") > 0;
    for (const point& p : v.series())
        if (const histogram_value* h = histogram_of(p))
            if (std::isinf(h->sum) || (h->sum == std::numeric_limits<double>::max() && flagged))
                return;
    throw failure("no sum is infinite, nor clamped and counted");
}

void no_record_in_two_meters(const view& v) {
    for (const meter_total& meter : v.played.meters)
        expect_le(meter.total, meter.possible, "the total of a meter");
}

double sum_over_meters(const view& v) {
    double sum = 0;
    for (const meter_total& meter : v.played.meters) sum += meter.total;
    return sum;
}

void each_reader(const view& v) {
    for (std::size_t reader = 0; reader < v.seen().readers(); ++reader)
        expect_eq(total_of(v.seen().last(static_cast<int>(reader)), v.instrument), v.n(),
                  "the total of reader " + std::to_string(reader));
}

// Neither time nor memory can be judged under a sanitizer, which multiplies both.
void unless_sanitized(const std::function<void()>& judge) {
    if (is_sanitized) throw skip("time and memory are not judged under a sanitizer");
    judge();
}

using check = void (*)(const view&);

void never_holds_differently(const view&) {
    // Crashes and calls that do not return are seen from outside, by whoever runs the case.
}

const std::map<std::string_view, check>& series_checks() {
    static const std::map<std::string_view, check> table = {
        {"series_eq",
         [](const view& v) {
             expect_eq(static_cast<double>(v.series().size()), v.n(), "the number of series");
         }},
        {"series_le",
         [](const view& v) {
             expect_le(static_cast<double>(v.series().size()), v.n(), "the number of series");
         }},
        {"series_value", series_value},
        {"each_value_eq",
         [](const view& v) {
             require(!v.series().empty(), "there is no series");
             for (const point& p : v.series()) expect_eq(value_of(p), v.n(), shown(p));
         }},
        {"total_value_eq", [](const view& v) { expect_eq(v.total(), v.n(), "the total"); }},
        {"value_eq",
         [](const view& v) {
             const point* only = v.only_series();
             expect_eq(only ? value_of(*only) : 0, v.n(), "the only series");
         }},
        {"count_eq", [](const view& v) { expect_eq(v.total(), v.n(), "the count"); }},
        {"final_count_eq", [](const view& v) { expect_eq(v.total(), v.n(), "the final count"); }},
        {"last_bucket_eq", last_bucket_eq},
        {"overflow_attribute", overflow_attribute},
        {"overflow_value_eq", overflow_value_eq},
        {"no_overflow_series",
         [](const view& v) {
             const auto series = v.series();
             require(overflow_series(series) == nullptr, "there is an overflow series");
         }},
        {"attribute_absent",
         [](const view& v) {
             for (const point& p : v.points())
                 for (const auto& attribute : p.attributes)
                     require(attribute.first != v.field("key"), "the key is there: " + shown(p));
         }},
        {"no_label_contains",
         [](const view& v) {
             for_each_text(v.seen().last(), [&](const std::string& value) {
                 require(value.find(v.field("text")) == value.npos, "a label holds it: " + value);
             });
         }},
        {"value_length_le",
         [](const view& v) {
             for_each_text(v.points(), [&](const std::string& value) {
                 expect_le(static_cast<double>(value.size()), v.n(), "the length of a value");
             });
         }},
        {"sum_is_inf_or_clamped_and_flagged", sum_is_inf_or_clamped},
        {"export_stays_parseable", [](const view&) { check_export_is_parseable(); }},
    };
    return table;
}

const std::map<std::string_view, check>& run_checks() {
    static const std::map<std::string_view, check> table = {
        {"never_negative",
         [](const view& v) {
             require(v.seen().negative().empty(), "below zero: " + v.seen().negative());
         }},
        {"bucket_sum_equals_count_in_every_collection",
         [](const view& v) {
             require(v.seen().bucket_mismatch().empty(),
                     "buckets and count differ: " + v.seen().bucket_mismatch());
         }},
        {"sum_matches_buckets_in_every_collection",
         [](const view& v) {
             require(v.seen().sum_mismatch().empty(),
                     "buckets and sum differ: " + v.seen().sum_mismatch());
         }},
        {"rss_growth_le_mib",
         [](const view& v) {
             unless_sanitized([&] { expect_le(v.played.growth_mib, v.n(), "the growth in MiB"); });
         }},
        {"live_cells_le",
         [](const view& v) {
             expect_le(static_cast<double>(v.played.live_cells), v.n(), "the number of live cells");
         }},
        {"allocations_eq",
         [](const view& v) {
             expect_eq(static_cast<double>(v.played.loop_allocations), v.n(),
                       "the number of allocations");
         }},
        {"ns_per_call_le",
         [](const view& v) {
             unless_sanitized([&] { expect_le(v.played.ns_per_call, v.n(), "ns per call"); });
         }},
        {"no_crash", never_holds_differently},
        {"no_deadlock", never_holds_differently},
        {"no_callback_after_unregister_returned",
         [](const view& v) {
             expect_eq(v.played.late_callbacks, 0, "the number of late callbacks");
         }},
        {"sum_over_meters_le",
         [](const view& v) { expect_le(sum_over_meters(v), v.n(), "the sum over all meters"); }},
        {"no_record_in_two_meters", no_record_in_two_meters},
        {"records_after_last_reinit_all_present",
         [](const view& v) {
             require(!v.played.meters.empty(), "no meter was kept");
             expect_le(v.played.calls_after_last_init, v.played.meters.back().total,
                       "the number of calls after the last init");
         }},
        {"each_meter_total_eq",
         [](const view& v) {
             require(!v.played.meters.empty(), "no meter was kept");
             for (const meter_total& meter : v.played.meters)
                 expect_eq(meter.total, v.n(), "the total of a meter");
         }},
        {"each_reader_total_eq", each_reader},
    };
    return table;
}

}  // namespace

void check_properties(inproc_play& played, std::string_view instrument) {
    std::string unjudged;
    for (const json_value& property : played.c.properties()) {
        const std::string& name = property.find("check")->text;
        const auto of_series = series_checks().find(name);
        const auto of_run = run_checks().find(name);
        const bool found = of_series != series_checks().end();
        require(found || of_run != run_checks().end(), "property not checked: " + name);
        try {
            (found ? of_series : of_run)->second({played, instrument, property});
        } catch (const skip& reason) {
            unjudged = reason.what();  // what can be judged is judged first
        } catch (const failure& error) {
            throw failure(name + ": " + error.what());
        }
    }
    if (!unjudged.empty()) throw skip(unjudged);
}

}  // namespace gym::telemetry::cases
