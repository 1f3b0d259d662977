// SPDX-License-Identifier: Apache-2.0
#include "health/row_evaluation.hpp"

#include "health/json_text.hpp"
#include "health/rollout_checks.hpp"
#include "health/shape_check.hpp"

namespace gym::telemetry::health {

namespace {

// The gaps that say that calls are missing from the capture.
constexpr std::array<std::string_view, 4> incomplete_call_gaps{
    "model_calls_unavailable", "model_call_capture_incomplete",
    "model_call_capture_records_unreadable", "model_call_capture_unreadable"};

// Catches the fields of a row; nothing of a row itself is invalid.
class row_observer final : public shape_observer {
public:
    void before_object(shape_hook) override {}
    void on_anything(json_value) override {}
    bool on_object(shape_hook, const object_fields& fields) override {
        row = {fields[0], fields[1], fields[2], fields[3],
               fields[4], fields[5], fields[6], fields[7]};
        return true;
    }
    row_fields row;
};

std::optional<wide_integer> usage_count(json_value usage, std::string_view key,
                                        std::string_view older_key) {
    json_value count = usage.find(key);
    if (!count) count = usage.find(older_key);
    // No conversions here: the row's own response was never validated.
    if (!count || !count.is_integer() || count.integer() < 0) return std::nullopt;
    return count.integer();
}

usage_tokens usage_of(json_value response) {
    if (!response || !response.is_object()) return {};
    const json_value usage = response.find("usage");
    if (!usage || !usage.is_object()) return {};
    return {usage_count(usage, "input_tokens", "prompt_tokens"),
            usage_count(usage, "output_tokens", "completion_tokens")};
}

std::string reason_and_error(std::string_view reason, std::string_view error) {
    std::string detail;
    json_object(detail).text("reason", reason).text("error", error).close();
    return detail;
}

}  // namespace

std::string_view name_of(rollout_verdict verdict) {
    constexpr std::array<std::string_view, 3> names{"healthy", "unhealthy", "unobserved"};
    return names[static_cast<std::size_t>(verdict)];
}

void row_evaluation::clear() {
    verdict = rollout_verdict::unobserved;
    unobserved.clear();
    findings.clear();
    has_calls = policy_calls_observed = ended_on_error = beyond_64_bits = false;
    successful_calls = replayed_calls = 0;
    failed_statuses.clear();
    usage = {};
    capture_prompt = capture_completion = 0;
}

void row_evaluation::conclude() {
    verdict = !findings.empty()    ? rollout_verdict::unhealthy
              : unobserved.empty() ? rollout_verdict::healthy
                                   : rollout_verdict::unobserved;
}

row_fields row_evaluator::fields_of(json_value row) {
    static const std::uint16_t node = shapes().named("row");
    row_observer observer;
    shape_checker(observer).check(node, row);
    return observer.row;
}

const row_evaluation& row_evaluator::evaluate(const row_fields& row) {
    result_.clear();
    result_.usage = usage_of(row.response);
    read_trajectory(row.trajectory);
    if (error_ != trajectory_error::none && !ignored_.has(check_id::record_unreadable))
        result_.findings.push_back(
            {check_id::record_unreadable, "",
             reason_and_error("canonical trajectory is unreadable", name_of(error_))});
    run_checks();
    gather_statistics();
    result_.conclude();
    return result_;
}

const row_evaluation& row_evaluator::evaluate_unreadable(std::string_view locator,
                                                         std::string_view error) {
    result_.clear();
    for (std::size_t i = 0; i < rollout_check_count; ++i) {
        const auto check = static_cast<check_id>(i);
        if (ignored_.has(check)) continue;
        if (check != check_id::record_unreadable) {
            result_.unobserved.add(check);
        } else {
            result_.findings.push_back({check, std::string(locator),
                                        reason_and_error("rollout record is unreadable", error)});
        }
    }
    result_.conclude();
    return result_;
}

void row_evaluator::read_trajectory(json_value trajectory) {
    trajectory_observed_ = turns_observed_ = calls_observed_ = turn_scope_complete_ = false;
    contradictions_ = false;
    error_ = trajectory_error::none;
    views_.clear();
    if (!trajectory || trajectory.is_null()) return;
    error_ = reader_.read(trajectory);
    if (error_ != trajectory_error::none || gap("trajectory_projection_failed")) return;
    trajectory_observed_ = true;
    note_hidden();
    views_.bind(reader_.facts());
}

void row_evaluator::note_hidden() {
    turns_observed_ = calls_observed_ = turn_scope_complete_ = true;
    for (const observation_gap& found : reader_.facts().gaps) {
        if (found.code == "turns_unavailable") turns_observed_ = false;
        if (found.code == "turn_model_call_scope_incomplete") turn_scope_complete_ = false;
        for (std::string_view code : incomplete_call_gaps)
            if (found.code == code) calls_observed_ = false;
        contradictions_ = contradictions_ || !contradiction_kind(found.code).empty();
    }
}

bool row_evaluator::gap(std::string_view code) const {
    for (const observation_gap& found : reader_.facts().gaps)
        if (found.code == code) return true;
    return false;
}

bool row_evaluator::view_observed(check_id check, const call_view& view) const {
    if (!calls_observed_) return false;
    const auto& calls = reader_.facts().calls;
    switch (check) {
        case check_id::trajectory_capture_mismatch:
            return view.observed || contradictions_;
        case check_id::rollout_token_count_mismatch:
            if (view.matched.empty() || !turn_scope_complete_ || !view.complete() ||
                !result_.usage.present())
                return false;
            for (std::uint32_t position : view.matched)
                if (!calls[position].prompt_tokens || !calls[position].completion_tokens)
                    return false;
            return true;
        case check_id::model_call_runaway_generation:
            for (std::uint32_t position : view.matched)
                if (ran_to_its_limit(calls[position]) &&
                    (!calls[position].response || calls[position].response.is_null()))
                    return false;
            return !view.matched.empty();
        default:
            return !view.matched.empty();
    }
}

bool row_evaluator::observed(check_id check) const {
    switch (reads_of_check[static_cast<std::size_t>(check)]) {
        case check_reads::row:
            return true;
        case check_reads::turns:
            return trajectory_observed_ && turns_observed_;
        case check_reads::all_calls:
            return trajectory_observed_ && calls_observed_ && !reader_.facts().calls.empty();
        case check_reads::turn_view:
            return trajectory_observed_ && view_observed(check, views_.turn());
        case check_reads::owned_view:
            return trajectory_observed_ && view_observed(check, views_.owned());
    }
    return false;
}

void row_evaluator::run_checks() {
    rollout_checks checks(reader_.facts(), views_, keys_, result_);
    for (std::size_t i = 0; i < rollout_check_count; ++i) {
        const auto check = static_cast<check_id>(i);
        if (ignored_.has(check)) continue;
        if (!observed(check)) {
            result_.unobserved.add(check);
            continue;
        }
        const std::string_view raised = checks.run(check);
        if (raised.empty()) continue;
        result_.unobserved.add(check);
        if (!ignored_.has(check_id::check_execution_error))
            result_.findings.push_back(execution_error(check, raised));
    }
}

void row_evaluator::gather_statistics() {
    if (!trajectory_observed_) return;
    const trajectory_facts& facts = reader_.facts();
    result_.has_calls = !facts.calls.empty();
    result_.policy_calls_observed = turn_scope_complete_ && views_.turn().complete();
    for (std::uint32_t position : views_.turn().matched)
        result_.successful_calls += facts.calls[position].successful ? 1 : 0;
    for (const model_call& call : facts.calls) {
        if (call.failed) result_.failed_statuses.push_back(call.status_code);
        result_.capture_prompt += call.prompt_tokens.value_or(0);
        result_.capture_completion += call.completion_tokens.value_or(0);
    }
    result_.ended_on_error = ended_on_failed_call(facts, keys_);
    result_.replayed_calls = count_replayed_calls(facts, keys_);
}

}  // namespace gym::telemetry::health
