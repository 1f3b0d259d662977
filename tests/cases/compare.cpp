// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include "instruments/catalogue.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace gym::telemetry::cases {

namespace {

constexpr std::array<std::string_view, 5> kind_names = {"counter", "up_down_counter",
                                                        "observable_counter", "gauge", "histogram"};

bool is_own(const point& p) {
    if (p.instrument.starts_with("gym.telemetry.")) return true;
    const std::size_t row = instruments::find_row(p.instrument);
    return row < instruments::catalogue.size() && instruments::catalogue[row].extension;
}

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

bool within(double actual, double expected, double tolerance) {
    if (std::isnan(expected)) return std::isnan(actual);
    return actual == expected || std::abs(actual - expected) <= tolerance;
}

// An integer that double cannot hold is compared as what it is.
bool same_number(const point& p, const json_value& expected) {
    if (const auto* integer = std::get_if<std::int64_t>(&p.value))
        if (const auto exact = exact_int64_of(expected)) return *integer == *exact;
    if (histogram_of(p) != nullptr) return false;
    return within(value_of(p), number_of(expected), 0);
}

bool same_list(const json_value& expected, std::size_t size, auto at) {
    if (expected.items.size() != size) return false;
    for (std::size_t i = 0; i < size; ++i)
        if (number_of(expected.items[i]) != static_cast<double>(at(i))) return false;
    return true;
}

// How a point differs from an expected one of the same series; empty when it does not.
class difference {
public:
    difference(const point& actual, const json_value& expected, const comparison& how)
        : p_(actual), expected_(expected), how_(how) {}

    std::string find() {
        check("kind", name_of(p_.kind) == expected_.find("kind")->text);
        if (const json_value* value = expected_.find("value"))
            check("value", same_number(p_, *value));
        const histogram_value* h = histogram_of(p_);
        for (const auto& [key, value] : expected_.members) {
            const bool of_histogram =
                key != "instrument" && key != "kind" && key != "attributes" && key != "value";
            if (of_histogram) check(key, h != nullptr && same_part(*h, key, value));
        }
        return found_;
    }

private:
    void check(const std::string& what, bool same) {
        if (!same && found_.empty()) found_ = what;
    }

    bool same_part(const histogram_value& h, const std::string& key, const json_value& value) {
        if (key == "count") return static_cast<double>(h.count) == number_of(value);
        if (key == "bounds")
            return same_list(value, h.bounds.size(), [&](std::size_t i) { return h.bounds[i]; });
        if (key == "bucket_counts")
            return same_list(value, h.bucket_counts.size(),
                             [&](std::size_t i) { return h.bucket_counts[i]; });
        const double number = number_of(value);
        if (key == "sum") return within(h.sum, number, how_.tolerance);
        if (key == "sum_gt") return h.sum > number;
        if (key == "sum_ge") return h.sum >= number;
        if (key == "sum_le") return h.sum <= number;
        if (key == "min") return same_edge(h.min, number);
        if (key == "max") return same_edge(h.max, number);
        throw failure("key of a point not compared: " + key);
    }

    bool same_edge(const std::optional<double>& edge, double number) const {
        return edge ? within(*edge, number, how_.tolerance) : how_.min_max_optional;
    }

    const point& p_;
    const json_value& expected_;
    const comparison& how_;
    std::string found_;
};

bool same_series(const point& actual, const json_value& expected) {
    return actual.instrument == text_of(*expected.find("instrument")) &&
           same_attributes(actual, *expected.find("attributes"));
}

}  // namespace

instrument_kind kind_of(std::string_view name) {
    const auto at = std::ranges::find(kind_names, name);
    require(at != kind_names.end(), "unknown kind: " + std::string(name));
    return static_cast<instrument_kind>(at - kind_names.begin());
}

std::string_view name_of(instrument_kind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::vector<point> without_own(const std::vector<point>& points) {
    std::vector<point> to;
    std::ranges::remove_copy_if(points, std::back_inserter(to), is_own);
    return to;
}

const histogram_value* histogram_of(const point& p) {
    return std::get_if<histogram_value>(&p.value);
}

double value_of(const point& p) {
    if (const auto* integer = std::get_if<std::int64_t>(&p.value))
        return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&p.value)) return *real;
    return static_cast<double>(std::get<histogram_value>(p.value).count);
}

bool same_attributes(const point& actual, const json_value& expected) {
    if (actual.attributes.size() != expected.members.size()) return false;
    return std::ranges::all_of(actual.attributes, [&](const auto& attribute) {
        const json_value* value = expected.find(attribute.first);
        if (value == nullptr) return false;
        if (const bool* flag = std::get_if<bool>(&attribute.second))
            return value->is == json_value::type::boolean && value->flag == *flag;
        return is_text_form(*value) && text_of(*value) == std::get<std::string>(attribute.second);
    });
}

std::string shown(const point& p) {
    std::string to = p.instrument + "{";
    for (const auto& [key, value] : p.attributes) {
        const bool* flag = std::get_if<bool>(&value);
        to += key + "=";
        to += flag ? (*flag ? "true" : "false")
                   : json_text(std::get<std::string>(value).substr(0, 60));
        to += ' ';
    }
    if (to.ends_with(' ')) to.pop_back();
    to += "} ";
    const histogram_value* h = histogram_of(p);
    if (h == nullptr) return to + number_text(value_of(p));
    to += "count " + std::to_string(h->count) + " sum " + number_text(h->sum);
    if (h->min) to += " min " + number_text(*h->min);
    if (h->max) to += " max " + number_text(*h->max);
    return to;
}

void compare_points(const std::vector<point>& actual, const json_value& expected,
                    const comparison& how) {
    std::vector<const point*> left;
    for (const point& p : actual) left.push_back(&p);
    for (const json_value& wanted : expected.items) {
        const auto at =
            std::ranges::find_if(left, [&](const point* p) { return same_series(*p, wanted); });
        if (at == left.end()) {
            std::string all;
            for (const point& p : actual) all += " " + shown(p) + ";";
            throw failure("no point " + to_json(wanted) + "; there are:" + all);
        }
        const std::string what = difference(**at, wanted, how).find();
        require(what.empty(), what + " differs: " + shown(**at) + ", expected " + to_json(wanted));
        left.erase(at);
    }
    require(left.empty(), left.empty() ? "" : "unexpected point: " + shown(*left.front()));
}

}  // namespace gym::telemetry::cases
