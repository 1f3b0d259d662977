// SPDX-License-Identifier: Apache-2.0
//
// Driver `config`: environment and configuration block, resolved as init does.
#include "base/environment.hpp"
#include "diagnostics_log.hpp"
#include "drivers.hpp"
#include "handle/block.hpp"
#include "handle/child_environment.hpp"
#include "handle/configuration.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gym::telemetry::cases {

namespace {

detail::environment environment_of(const case_file& c) {
    detail::variable_map variables;
    if (const json_value* env = c.given.find("env"))
        for (const auto& [name, value] : env->members) variables[name] = text_of(value);
    return detail::environment(std::move(variables));
}

options block_of(const case_file& c) {
    std::vector<std::pair<std::string, std::string>> entries;
    if (const json_value* config = c.given.find("config"))
        for (const auto& [key, value] : config->members)
            entries.emplace_back(key, to_json(expanded(value)));
    const auto block = detail::options_from_entries(entries);
    require(bool(block), "the block cannot be read");
    return *block;
}

void expect_text(const std::string& key, const std::string& actual, const json_value& expected) {
    require(actual == text_of(expected), key + " is " + json_text(actual));
}
void expect_flag(const std::string& key, bool actual, const json_value& expected) {
    require(actual == expected.flag, key + " is " + (actual ? "true" : "false"));
}
void expect_int(const std::string& key, std::int64_t actual, const json_value& expected) {
    require(actual == int64_of(expected), key + " is " + std::to_string(actual));
}

void expect_checks(const settings& s, const json_value& expected) {
    std::multiset<std::string> wanted,
        actual(s.health_check_ignored_checks.begin(), s.health_check_ignored_checks.end());
    for (const json_value& id : expected.items) wanted.insert(text_of(id));
    require(wanted == actual, "health_check_ignored_checks differ");
}

void expect_run_id(const settings& s, const json_value& expected) {
    if (expected.is_null())
        require(!s.run_id.has_value(), "run_id is " + json_text(s.run_id.value_or("")));
    else
        require(s.run_id == text_of(expected), "run_id is " + json_text(s.run_id.value_or("")));
}

void expect_extra(const settings& s, const json_value& expected) {
    json_value actual{.is = json_value::type::object, .items = {}, .members = {}};
    for (const auto& [key, json] : s.extra)
        actual.members.emplace_back(key, parse_json("[" + json + "]").items.at(0));
    require(same_json(actual, expected), "extra is " + to_json(actual));
}

// The signal's own endpoint is in force where it is set; the setting is what it was derived from.
void expect_endpoint(const settings& s, const json_value& expected) {
    const std::string wanted = text_of(expected);
    require(wanted == s.otlp_endpoint || wanted == s.otlp_metrics_endpoint,
            "otlp_endpoint is " + json_text(s.otlp_endpoint));
}

void expect_absent(const case_file& c, const settings& s, const json_value& names) {
    const detail::environment variables = environment_of(c);
    const auto handed_on = detail::child_environment_of(s, variables);
    for (const json_value& item : names.items) {
        const std::string name = text_of(item);
        const bool is_set =
            variables.is_set(name) || std::ranges::any_of(handed_on, [&](const auto& variable) {
                return variable.first == name;
            });
        require(!is_set, name + " is set");
    }
}

void check(const case_file& c, const settings& s) {
    for (const auto& [key, value] : c.expect.members) {
        if (key == "enabled")
            expect_flag(key, s.enabled, value);
        else if (key == "telemetry_on")
            expect_flag(key, s.telemetry_on, value);
        else if (key == "metrics_enabled")
            expect_flag(key, s.metrics_enabled, value);
        else if (key == "service_name")
            expect_text(key, s.service_name, value);
        else if (key == "span_groups")
            expect_text(key, s.span_groups, value);
        else if (key == "exporter")
            expect_text(key, s.exporter, value);
        else if (key == "otlp_endpoint")
            expect_endpoint(s, value);
        else if (key == "temporality")
            expect_text(key, s.temporality_preference, value);
        else if (key == "otlp_timeout_ms")
            expect_int(key, s.otlp_timeout_ms, value);
        else if (key == "export_interval_ms")
            expect_int(key, s.export_interval_ms, value);
        else if (key == "cardinality_limit")
            expect_int(key, s.cardinality_limit, value);
        else if (key == "shutdown_timeout_ms")
            expect_int(key, s.shutdown_timeout_ms, value);
        else if (key == "health_check_ignored_checks")
            expect_checks(s, value);
        else if (key == "run_id")
            expect_run_id(s, value);
        else if (key == "extra")
            expect_extra(s, value);
        else if (key == "env_absent")
            expect_absent(c, s, value);
        else if (key != "diagnostics" && key != "diagnostic_mentions" && key != "note")
            throw failure("expectation not checked: " + key);
    }
}

}  // namespace

void play_config(const case_file& c) {
    for (const call& f : c.calls) require(f.fn == "resolve_config", "call not played: " + f.fn);
    diagnostics_log log;
    const settings resolved = detail::resolve_settings(block_of(c), environment_of(c));
    check(c, resolved);
    check_diagnostics(c, log.messages());
}

}  // namespace gym::telemetry::cases
