// SPDX-License-Identifier: Apache-2.0
#include "health/report_text.hpp"

#include "base/display_width.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::health {

namespace {

using telemetry::detail::begin_that_fits;
using telemetry::detail::display_width;

constexpr std::size_t columns = 80;
constexpr std::size_t name_columns = 36;
constexpr std::size_t named_checks = 3;
constexpr std::size_t listed_environments = 20;

struct environment_counts {
    std::string name;
    verdict_counts verdicts{};

    std::uint64_t rollouts() const { return verdicts[0] + verdicts[1] + verdicts[2]; }
    std::uint64_t unhealthy() const { return verdicts[1]; }
};

// Names come from rows: a terminal is not to obey what one holds, and a table keeps its columns.
std::string shown_name(std::string_view name) {
    constexpr std::string_view ellipsis = "...";  // the locale may know no other
    constexpr std::size_t most = name_columns - 2;
    std::string shown(name);
    if (display_width(name) > most)
        shown = std::string(begin_that_fits(name, most - ellipsis.size())).append(ellipsis);
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    return shown;
}

// Those with most unhealthy rollouts first, then by name.
std::vector<environment_counts> environments(const reduced_report& report) {
    std::map<std::string_view, verdict_counts> counted;
    for (const report_record* record : report.records)
        ++counted[record->environment][static_cast<std::size_t>(record->verdict)];
    std::vector<environment_counts> all;
    for (const auto& [name, verdicts] : counted) all.push_back({shown_name(name), verdicts});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.unhealthy() > b.unhealthy(); });
    return all;
}

// The checks on rollouts that found something, those that flagged most rollouts first.
std::vector<std::size_t> flagged_checks(const reduced_report& report) {
    std::vector<std::size_t> checks;
    for (std::size_t i = 0; i < rollout_check_count; ++i)
        if (report.totals.flagged[i] > 0) checks.push_back(i);
    std::stable_sort(checks.begin(), checks.end(), [&](std::size_t a, std::size_t b) {
        return report.totals.flagged[a] > report.totals.flagged[b];
    });
    return checks;
}

std::string where(const reduced_report& report) {
    const auto all = environments(report);
    const environment_counts& worst = all.front();
    const std::uint64_t unhealthy = report.verdicts[1];
    if (worst.unhealthy() == unhealthy) return "all on env " + worst.name;
    return std::to_string(worst.unhealthy()) + " of them on env " + worst.name;
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// Breaks a text at spaces; what continues is indented by two.
std::string wrapped(std::string_view text) {
    std::string out;
    std::size_t used = 0;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (used > 0 && used + 1 + display_width(word) > columns) {
            out.append("\n ");
            used = 1;
        }
        if (used > 0) out.push_back(' ');
        out.append(word);
        used += display_width(word) + (used > 0 ? 1 : 0);
    }
    return out;
}

void append_row(std::string& out, std::string_view name, const std::vector<std::string>& cells) {
    std::string line(name);
    line.append(name_columns - std::min(name_columns, display_width(name)), ' ');
    for (const std::string& cell : cells) {
        constexpr std::size_t cell_columns = 13;
        line.append(cell_columns - std::min(cell_columns, cell.size()), ' ').append(cell);
    }
    out.append(line).push_back('\n');
}

std::string check_table(const reduced_report& report) {
    std::string table;
    for (std::size_t i = 0; i < check_count; ++i) {
        const coverage_counts& coverage = report.coverage[i];
        const std::uint64_t findings = report.totals.findings[i];
        if (findings == 0 && coverage.unobserved == 0) continue;
        if (table.empty()) append_row(table, "CHECK", {"FINDINGS", "EVALUATED", "UNOBSERVED"});
        append_row(table, health_check_ids[i],
                   {std::to_string(findings), std::to_string(coverage.evaluated),
                    std::to_string(coverage.unobserved)});
    }
    return table;
}

std::string environment_table(const reduced_report& report) {
    const auto all = environments(report);
    std::string table;
    if (all.size() < 2) return table;
    append_row(table, "ENV", {"ROLLOUTS", "UNHEALTHY", "UNOBSERVED"});
    for (std::size_t i = 0; i < std::min(all.size(), listed_environments); ++i)
        append_row(table, all[i].name,
                   {std::to_string(all[i].rollouts()), std::to_string(all[i].unhealthy()),
                    std::to_string(all[i].verdicts[2])});
    if (all.size() > listed_environments)
        table.append("and " + std::to_string(all.size() - listed_environments) + " more\n");
    return table;
}

std::string upstream_lines(const reduced_report& report, const std::string& summary_path) {
    std::string ignored;
    std::vector<std::string_view> ids;
    for (std::size_t i = 0; i < check_count; ++i)
        if (report.ignored.has(static_cast<check_id>(i))) ids.push_back(health_check_ids[i]);
    std::sort(ids.begin(), ids.end());
    for (std::string_view id : ids)
        ignored.append(ignored.empty() ? " (ignored: " : ", ").append(id);
    if (!ignored.empty()) ignored.push_back(')');
    return "Rollout health: " + std::to_string(report.totals.records) + " checked, " +
           std::to_string(report.verdicts[0]) + " healthy, " + std::to_string(report.verdicts[1]) +
           " unhealthy, " + std::to_string(report.verdicts[2]) + " unobserved" + ignored +
           "\nQuality summary: " + summary_path + "\n";
}

}  // namespace

std::string headline(const reduced_report& report) {
    const std::uint64_t records = report.totals.records;
    const auto [healthy, unhealthy, unobserved] = report.verdicts;
    if (records == 0) return "No rollouts";
    if (unhealthy == 0 && unobserved == 0)
        return records == 1 ? "The rollout is healthy"
                            : "All " + counted(records, "rollout") + " healthy";
    if (unhealthy == 0)
        return "None of " + counted(records, "rollout") + " unhealthy, " +
               std::to_string(unobserved) + " unobserved";
    std::string line =
        std::to_string(unhealthy) + " of " + counted(records, "rollout") + " unhealthy: ";
    const auto checks = flagged_checks(report);
    for (std::size_t i = 0; i < std::min(checks.size(), named_checks); ++i)
        line.append(health_check_ids[checks[i]])
            .append(" in " + std::to_string(report.totals.flagged[checks[i]]) + ", ");
    if (checks.size() > named_checks)
        line.append(counted(checks.size() - named_checks, "more check") + ", ");
    return line + where(report);
}

std::string report_text(const reduced_report& report, const std::string& summary_path) {
    std::string text = wrapped(headline(report)) + "\n\n";
    for (const std::string& table : {check_table(report), environment_table(report)})
        if (!table.empty()) text.append(table).append("\n");
    return text + upstream_lines(report, summary_path);
}

}  // namespace gym::telemetry::health
