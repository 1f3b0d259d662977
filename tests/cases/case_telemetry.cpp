// SPDX-License-Identifier: Apache-2.0
#include "case_telemetry.hpp"

#include "handle/testing.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace gym::telemetry::cases {

namespace {

constexpr std::array<std::string_view, span_group_count> groups = {
    "job",   "server",     "http_client", "rollout", "verify",
    "agent", "model_call", "sandbox",     "startup"};

// All groups but those that the case switches off.
std::string groups_of(const case_file& c) {
    std::string list;
    for (const std::string_view group : groups) {
        if (!c.given_flag("span_group_" + std::string(group), true)) continue;
        if (!list.empty()) list += ',';
        list += group;
    }
    return list;
}

temporality temporality_of(const case_file& c) {
    return c.given_text("temporality") == "delta" ? temporality::delta : temporality::cumulative;
}

options options_of(const case_file& c) {
    options to;
    to.enabled = true;
    to.exporter = "memory";
    to.span_groups = groups_of(c);
    if (c.given.find("cardinality_limit"))
        to.cardinality_limit = c.given_integer("cardinality_limit", 0);
    if (const json_value* ignored = c.given.find("ignored_checks")) {
        to.health_check_ignored_checks.emplace();
        for (const json_value& id : ignored->items)
            to.health_check_ignored_checks->push_back(text_of(id));
    }
    to.ignore_environment = true;
    to.memory_readers = static_cast<int>(c.given_integer("readers", 1));
    to.memory_temporality = temporality_of(c);
    return to;
}

}  // namespace

case_telemetry::case_telemetry(const case_file& c)
    : options_(options_of(c)),
      constant_hash_(c.given_text("hash") == "constant"),
      metrics_gate_(c.given_flag("metrics_enabled", true)),
      seen_(temporality_of(c)) {
    const std::string mode = c.given_text("telemetry", "exporting");
    if (mode == "meter_raises") raising_ = std::make_unique<raising_meter>();
    starts_ = mode != "none";
    // Initialised with nothing to export: both signals are off.
    if (mode == "initialised_not_exporting") {
        options_.metrics_enabled = false;
        options_.traces_enabled = false;
    }
    begin();
}

case_telemetry::~case_telemetry() {
    shutdown();
}

void case_telemetry::begin() {
    if (!starts_) return;
    if (raising_ != nullptr)
        raising_->begin(options_);
    else
        detail::init_for_tests(options_, {.constant_hash = constant_hash_});
    // The gate alone: the handle goes on exporting.
    if (!metrics_gate_) set_metrics(false);
}

std::vector<point> case_telemetry::end() {
    if (!is_exporting()) return {};
    shutdown();
    std::vector<point> points;
    if (raising_ != nullptr) {
        require(raising_->raised() != 0, "nothing was recorded into the meter that raises");
        require(raising_->arrived() == 0, "a record arrived through an instrument that raises");
        return points;
    }
    for (int reader = 0; reader < options_.memory_readers; ++reader) {
        const collection last = detail::last_collection(reader);
        seen_.add(reader, last);
        if (reader == 0) points = last.points;
    }
    seen_.end_generation();
    return points;
}

std::vector<point> case_telemetry::collect(int reader) {
    if (!is_exporting()) return {};
    const collection now = gym::telemetry::collect(reader);
    seen_.add(reader, now);
    return now.points;
}

void case_telemetry::collect_all() {
    for (int reader = 0; reader < options_.memory_readers; ++reader) collect(reader);
}

void case_telemetry::install_meter(const std::string& name) {
    const std::vector<point> points = end();
    ended_[name] = points;
    if (!meter_.empty()) begun_[meter_] = points;
    meter_ = name;
    begin();
}

void case_telemetry::keep(const std::string& label, std::vector<point> points) {
    ended_[label] = points;
    begun_[label] = std::move(points);
}

const std::map<std::string, std::vector<point>>& case_telemetry::meters_begun() {
    if (!meter_.empty()) begun_[meter_] = seen_.last();
    return begun_;
}

void case_telemetry::set_group(const std::string& group, bool on) {
    const auto at = std::ranges::find(groups, group);
    require(at != groups.end(), "unknown span group: " + group);
    const std::uint64_t bit = std::uint64_t{1} << (at - groups.begin());
    const std::uint64_t gates = detail::gates_for_tests();
    detail::set_gates_for_tests(on ? gates | bit : gates & ~bit);
}

void case_telemetry::set_metrics(bool on) {
    const std::uint64_t bit = std::uint64_t{1} << 63;
    const std::uint64_t gates = detail::gates_for_tests();
    detail::set_gates_for_tests(on ? gates | bit : gates & ~bit);
}

}  // namespace gym::telemetry::cases
