// SPDX-License-Identifier: Apache-2.0
#include "expectations.hpp"

#include "compare.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <set>
#include <tuple>

namespace gym::telemetry::cases {

namespace {

comparison comparison_of(const case_file& c, const case_telemetry& t) {
    const json_value* tolerance = c.expects("sum_tolerance");
    return {.tolerance = tolerance ? number_of(*tolerance) : 0, .min_max_optional = t.is_delta()};
}

// The first reason why the meters are not these; empty when they are.
std::string difference_of(const std::map<std::string, std::vector<point>>& meters,
                          const json_value& expected, const comparison& how) {
    try {
        for (const auto& [name, points] : expected.members) {
            const auto at = meters.find(name);
            require(at != meters.end(), "nothing was kept for the meter " + name);
            compare_points(without_own(at->second), points, how);
        }
        return {};
    } catch (const failure& error) {
        return error.what();
    }
}

std::vector<point> points_of(const observations& seen, const std::string& instrument) {
    auto points = of_instrument(seen.last(), instrument);
    require(!points.empty(), "no point of " + instrument);
    return points;
}

void check_created(const observations& seen, const std::string& instrument, std::int64_t n) {
    std::set<std::tuple<instrument_kind, std::string>> kinds;
    for (const point& p : of_instrument(seen.last(), instrument)) kinds.insert({p.kind, p.unit});
    require(static_cast<std::int64_t>(kinds.size()) == n,
            instrument + " was created " + std::to_string(kinds.size()) + " times");
}

}  // namespace

void check_points(const case_file& c, case_telemetry& t) {
    if (const json_value* expected = c.expects("points"))
        compare_points(without_own(t.seen().last()), *expected, comparison_of(c, t));
    if (const json_value* absent = c.expects("absent"))
        for (const json_value& name : absent->items)
            require(!t.seen().has_seen(text_of(name)), "there is a point of " + text_of(name));
}

std::int64_t dropped_values(const observations& seen) {
    return seen.dropped("not_a_number") + seen.dropped("negative") + seen.dropped("overflow");
}

void check_self_metrics(const case_file& c, const observations& seen) {
    // A callback that throws is no record, and a name that is none is no value: the first is never
    // meant, the second only where the case speaks of drops.
    const json_value* expected = c.expects("dropped_measurements");
    const std::int64_t dropped =
        expected ? seen.dropped() - seen.dropped("callback_failed") : dropped_values(seen);
    require(dropped == (expected ? int64_of(*expected) : 0),
            std::to_string(dropped) + " dropped measurements");
    if (const json_value* unknown = c.expects("unknown_values"))
        require(seen.unknown_values() == int64_of(*unknown),
                std::to_string(seen.unknown_values()) + " unknown values");
}

void check_meters(const case_file& c, case_telemetry& t) {
    const json_value* expected = c.expects("points_by_meter");
    if (expected == nullptr) return;
    const comparison how = comparison_of(c, t);
    const std::string begun = difference_of(t.meters_begun(), *expected, how);
    require(begun.empty() || difference_of(t.meters_ended(), *expected, how).empty(), begun);
}

void check_instruments(const case_file& c, const observations& seen) {
    if (const json_value* units = c.expects("unit"))
        for (const auto& [name, unit] : units->members)
            for (const point& p : points_of(seen, name))
                require(p.unit == text_of(unit),
                        "the unit of " + name + " is " + json_text(p.unit));
    if (const json_value* monotonic = c.expects("monotonic"))
        for (const auto& [name, flag] : monotonic->members)
            for (const point& p : points_of(seen, name)) {
                const bool is_monotonic = p.kind == instrument_kind::counter ||
                                          p.kind == instrument_kind::observable_counter;
                require(is_monotonic == flag.flag, name + " is of another monotonicity");
            }
    if (const json_value* bounds = c.expects("bounds"))
        for (const auto& [name, edges] : bounds->members)
            for (const point& p : points_of(seen, name)) {
                const histogram_value* h = histogram_of(p);
                bool same = h != nullptr && h->bounds.size() == edges.items.size();
                for (std::size_t i = 0; same && i < edges.items.size(); ++i)
                    same = h->bounds[i] == number_of(edges.items[i]);
                require(same, "the boundaries differ: " + shown(p));
            }
    if (const json_value* created = c.expects("instruments_created"))
        for (const auto& [name, n] : created->members) check_created(seen, name, int64_of(n));
}

void check_label_properties(const case_file& c, const observations& seen) {
    for (const json_value& property : c.properties()) {
        const std::string& name = property.find("check")->text;
        require(name == "no_label_contains", "property not checked: " + name);
        const std::string text = text_of(*property.find("text"));
        for (const point& p : seen.last())
            for (const auto& attribute : p.attributes)
                if (const auto* value = std::get_if<std::string>(&attribute.second))
                    require(value->find(text) == value->npos, "a label holds it: " + *value);
    }
}

}  // namespace gym::telemetry::cases
