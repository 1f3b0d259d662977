// SPDX-License-Identifier: Apache-2.0
#include "health/report_record.hpp"

#include "health/json_text.hpp"

namespace gym::telemetry::health {

namespace {

void append_finding(std::string& out, const row_finding& finding) {
    json_object object(out);
    object.text("check", name_of(finding.check));
    if (!finding.locator.empty()) object.raw("locator", finding.locator);
    object.raw("detail", finding.detail).close();
}

template <std::size_t Size>
void add_each(std::array<std::uint64_t, Size>& to, const std::array<std::uint64_t, Size>& from) {
    for (std::size_t i = 0; i < Size; ++i) to[i] += from[i];
}

}  // namespace

void report_totals::add(const row_evaluation& row) {
    ++records;
    captures += row.has_calls ? 1 : 0;
    check_set found;
    for (const row_finding& finding : row.findings) {
        ++findings[static_cast<std::size_t>(finding.check)];
        found.add(finding.check);
    }
    for (std::size_t i = 0; i < rollout_check_count; ++i) {
        unobserved[i] += row.unobserved.has(static_cast<check_id>(i)) ? 1 : 0;
        flagged[i] += found.has(static_cast<check_id>(i)) ? 1 : 0;
    }
    call_errors += row.failed_statuses.size();
    for (const auto& status : row.failed_statuses)
        ++errors_by_status[status ? integer_text(*status) : "unknown"];
    rollouts_with_errors += row.failed_statuses.empty() ? 0 : 1;
    ended_on_error += row.ended_on_error ? 1 : 0;
    replayed_calls += row.replayed_calls;
    rollouts_with_replays += row.replayed_calls > 0 ? 1 : 0;
    prompt += row.usage.prompt.value_or(0);
    completion += row.usage.completion.value_or(0);
    capture_prompt += row.capture_prompt;
    capture_completion += row.capture_completion;
    beyond_64_bits = beyond_64_bits || row.beyond_64_bits;
}

void report_totals::add(const report_totals& other) {
    records += other.records;
    captures += other.captures;
    add_each(unobserved, other.unobserved);
    add_each(findings, other.findings);
    add_each(flagged, other.flagged);
    call_errors += other.call_errors;
    for (const auto& [status, count] : other.errors_by_status) errors_by_status[status] += count;
    rollouts_with_errors += other.rollouts_with_errors;
    ended_on_error += other.ended_on_error;
    replayed_calls += other.replayed_calls;
    rollouts_with_replays += other.rollouts_with_replays;
    prompt += other.prompt;
    completion += other.completion;
    capture_prompt += other.capture_prompt;
    capture_completion += other.capture_completion;
    beyond_64_bits = beyond_64_bits || other.beyond_64_bits;
}

report_record make_record(const row_identity& identity, const row_evaluation& row,
                          std::string_view environment, text_arena& arena) {
    report_record record{.identity = identity,
                         .findings = {},
                         .environment = environment,
                         .successful_calls = row.successful_calls,
                         .duplicate_count = 0,
                         .verdict = row.verdict,
                         .unobserved = row.unobserved,
                         .flagged = {},
                         .policy_calls_observed = row.policy_calls_observed};
    if (row.findings.empty()) return record;
    std::string json;
    for (const row_finding& finding : row.findings) {
        if (!json.empty()) json.push_back(',');
        append_finding(json, finding);
        record.flagged.add(finding.check);
    }
    record.findings = arena.keep(json);
    return record;
}

}  // namespace gym::telemetry::health
