// SPDX-License-Identifier: Apache-2.0
//
// Driver `health`: the report over saved rows, rows evaluated live, and the replay tool with health
// evaluation on.
#include "compare.hpp"
#include "drivers.hpp"
#include "expectations.hpp"
#include "health_rows.hpp"
#include "rollout_row_play.hpp"
#include "tool_run.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/health.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace gym::telemetry::cases {

namespace {

struct health_run {
    health_report report;
    std::vector<json_value> records;  // of rollout_verdicts.jsonl
};

std::vector<std::string> ignored_checks(const case_file& c) {
    std::vector<std::string> to;
    if (const json_value* list = c.given.find("ignored_checks"))
        for (const json_value& id : list->items) to.push_back(text_of(id));
    return to;
}

health_run run_checks(const case_file& c, const case_folder& folder) {
    std::string text;
    if (const json_value* rows = c.given.find("rows"))
        for (const json_value& row : rows->items) text += saved_row(row) + "\n";
    folder.write("saved.jsonl", text);
    health_run run;
    run.report = run_health_report(
        {.files = {folder.path("saved.jsonl")}, .ignored_checks = ignored_checks(c)});
    require(run.report.error.empty(), "no report: " + run.report.error);
    std::istringstream verdicts(folder.read("rollout_verdicts.jsonl"));
    for (std::string line; std::getline(verdicts, line);) run.records.push_back(parse_json(line));
    return run;
}

void check_findings(const health_run& run, const json_value& expected) {
    std::string shown;
    json_value actual{.is = json_value::type::object, .items = {}, .members = {}};
    for (std::size_t i = 0; i < health_check_ids.size(); ++i)
        if (const auto n = run.report.findings[i])
            actual.members.emplace_back(std::string(health_check_ids[i]),
                                        json_value{.is = json_value::type::number,
                                                   .text = std::to_string(n),
                                                   .items = {},
                                                   .members = {}});
    require(same_json(actual, expected), "findings are " + to_json(actual));
}

void check_details(const health_run& run, const std::string& check, const json_value& expected) {
    bool found = false;
    for (const json_value& record : run.records)
        for (const json_value& finding : record.find("findings")->items) {
            if (finding.find("check")->text != check) continue;
            found = true;
            require(same_json(*finding.find("detail"), expected),
                    check + " says " + to_json(*finding.find("detail")));
        }
    require(found, "there is no finding of " + check);
}

void check_verdicts(const health_run& run, const json_value& expected) {
    for (const auto& [verdict, n] : expected.members) {
        const auto actual = std::ranges::count_if(run.records, [&](const json_value& record) {
            return record.find("verdict")->text == verdict;
        });
        require(actual == int64_of(n), std::to_string(actual) + " rows are " + verdict);
    }
}

void check_ids(const std::string& key, const json_value& expected) {
    if (key == "check_ids_include")
        for (const json_value& id : expected.items)
            require(std::ranges::find(health_check_ids, text_of(id)) != health_check_ids.end(),
                    "the registry lacks " + text_of(id));
    if (key == "id_prefixes")
        for (const std::string_view id : health_check_ids)
            require(std::ranges::any_of(
                        expected.items,
                        [&](const json_value& prefix) { return id.starts_with(text_of(prefix)); }),
                    "another prefix: " + std::string(id));
}

void check_report(const case_file& c, const health_run& run) {
    for (const auto& [key, value] : c.expect.members) {
        if (key == "findings") check_findings(run, value);
        if (key == "finding_details")
            for (const auto& [check, detail] : value.members) check_details(run, check, detail);
        if (key == "verdicts") check_verdicts(run, value);
        if (key == "verdict") {
            require(run.records.size() == 1, "there is more than one row, or none");
            const std::string& verdict = run.records.front().find("verdict")->text;
            require(verdict == text_of(value), "the verdict is " + verdict);
        }
        check_ids(key, value);
    }
}

void record_row_and_health(const call& f, bool evaluates) {
    record_row(f);
    if (evaluates) record_row_health(to_json(expanded(f.at("row"))), f.text("outcome"));
}

}  // namespace

void play_health(const case_file& c) {
    const case_folder folder(c);
    case_telemetry telemetry(c);
    std::optional<tool_result> tool;
    std::optional<health_run> run;
    const bool evaluates = c.given_flag("health_enabled", false);
    for (const call& f : c.calls)
        for (std::int64_t i = 0; i < f.repeat; ++i) {
            if (f.fn == "record_rollout_row")
                record_row_and_health(f, evaluates);
            else if (f.fn == "run_health_checks")
                run = run_checks(c, folder);
            else if (f.fn == "run")
                tool = run_tool(c, folder, f);
            else
                throw failure("call not played: " + f.fn);
        }
    telemetry.collect_all();
    if (run) check_report(c, *run);
    if (tool)
        check_tool(c, *tool);
    else
        check_points(c, telemetry);
}

}  // namespace gym::telemetry::cases
