// SPDX-License-Identifier: Apache-2.0
#include "health/rollout_checks.hpp"

#include "health/json_text.hpp"
#include "health/model_chains.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gym::telemetry::health {

namespace {

constexpr std::string_view type_error = "TypeError";
constexpr std::string_view attribute_error = "AttributeError";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> contradictions{{
    {"model_call_reference_unmatched", "missing_captured_call"},
    {"model_call_reference_ambiguous", "duplicated_captured_call"},
    {"model_call_reference_conflict", "conflicting_call_ownership"},
}};

std::string call_locator(std::string_view call_id) {
    std::string locator;
    json_object(locator).text("call_id", call_id).close();
    return locator;
}

std::string reason(std::string_view text) {
    std::string detail;
    json_object(detail).text("reason", text).close();
    return detail;
}

std::string text_or_null(const optional_text& text) {
    std::string json;
    if (!text.present) return "null";
    append_json_string(json, text.text);
    return json;
}

std::string_view behind_last_colon(std::string_view text) {
    return text.substr(text.rfind(':') + 1);
}

std::string_view label_of(const call_reference& reference) {
    return behind_last_colon(reference.call_id.empty() ? reference.response_id.text
                                                       : reference.call_id.text);
}

// Whether nothing but white space and no tool call is in the turn. Raises as the search does.
struct turn_content {
    bool message = false;
    presence tool_call = presence::no;
};

turn_content content_of(const agent_turn& turn) {
    return {non_empty(turn.answer) || non_empty(turn.reasoning), tool_call_in(turn.answer)};
}

}  // namespace

bool ran_to_its_limit(const model_call& call) {
    const std::string_view finish = call.finish_reason.text;
    return finish == "length" || finish == "max_output_tokens" || finish == "max_tokens";
}

std::string_view contradiction_kind(std::string_view gap_code) {
    for (const auto& [code, kind] : contradictions)
        if (code == gap_code) return kind;
    return {};
}

row_finding execution_error(check_id check, std::string_view exception) {
    std::string detail;
    json_object(detail)
        .text("reason", "check raised an unexpected exception")
        .text("failed_check", name_of(check))
        .text("error", exception)
        .close();
    return {check_id::check_execution_error, "", std::move(detail)};
}

std::string_view rollout_checks::run(check_id check) {
    switch (check) {
        case check_id::rollout_missing_agent_turns:
            return missing_agent_turns();
        case check_id::agent_turn_hollow:
            return turn_hollow();
        case check_id::model_call_runaway_generation:
            return runaway_generation();
        case check_id::rollout_ended_on_failed_model_call:
            ended_on_failed_model_call();
            break;
        case check_id::model_call_zero_completion_tokens:
            zero_completion_tokens();
            break;
        case check_id::model_call_missing_token_counts:
            missing_token_counts();
            break;
        case check_id::trajectory_capture_mismatch:
            capture_mismatch();
            break;
        case check_id::model_call_failed:
            failed_calls();
            break;
        case check_id::rollout_token_count_mismatch:
            token_count_mismatch();
            break;
        // Found by the reader, by the report, or by a check that raises.
        case check_id::check_execution_error:
        case check_id::record_unreadable:
        case check_id::rollout_duplicate_identity:
        case check_id::task_consistently_unhealthy:
        case check_id::task_no_successful_model_calls:
            break;
    }
    return {};
}

void rollout_checks::add(check_id check, std::string locator, std::string detail) {
    result_.findings.push_back({check, std::move(locator), std::move(detail)});
}

std::string rollout_checks::locator_of(std::uint32_t position) const {
    const model_call& call = facts_.calls[position];
    if (!call.call_id.empty()) return call_locator(call.call_id.text);
    if (!call.response_id.empty()) return call_locator(call.response_id.text);
    return call_locator(integer_text(position));
}

std::string_view rollout_checks::missing_agent_turns() {
    bool active = false;
    // The original looks at every turn before it decides, and may raise at any of them.
    for (const agent_turn& turn : facts_.turns) {
        const turn_content content = content_of(turn);
        if (content.tool_call == presence::raises_type_error) return type_error;
        active =
            active || content.message || content.tool_call == presence::yes || turn.has_reference;
    }
    if (!active)
        add(check_id::rollout_missing_agent_turns, "", reason("no agent turn with model activity"));
    return {};
}

std::string_view rollout_checks::turn_hollow() {
    std::vector<wide_integer> hollow;
    for (const agent_turn& turn : facts_.turns) {
        const turn_content content = content_of(turn);
        if (content.tool_call == presence::raises_type_error) return type_error;
        if (!content.message && content.tool_call == presence::no) hollow.push_back(turn.turn_no);
    }
    for (const wide_integer turn_no : hollow) {
        std::string locator;
        json_object(locator).integer("turn", turn_no).close();
        result_.beyond_64_bits = result_.beyond_64_bits || !writable_integer(turn_no);
        add(check_id::agent_turn_hollow, std::move(locator),
            reason("agent turn has no message or tool calls"));
    }
    return {};
}

std::string rollout_checks::status_of(const model_call& call) {
    std::string json = "null";
    if (call.status_code) {
        json = integer_text(*call.status_code);
        result_.beyond_64_bits = result_.beyond_64_bits || !writable_integer(*call.status_code);
    }
    return json;
}

void rollout_checks::ended_on_failed_model_call() {
    for (const model_chain& chain : model_chains(facts_, keys_)) {
        if (!ended_on_failure(chain, facts_)) continue;
        const model_call& last = facts_.calls[chain.last];
        std::string model = "null";
        if (chain.model_name.present) {
            model.clear();
            append_json_string(model, "responses_api_models/" + std::string(chain.model_name.text));
        }
        std::string detail;
        json_object(detail)
            .raw("model_ref", model)
            .raw("status", status_of(last))
            .raw("error_category", text_or_null(last.error_category))
            .integer("observed_calls", chain.calls)
            .integer("successful_calls", chain.successful)
            .close();
        add(check_id::rollout_ended_on_failed_model_call, locator_of(chain.last),
            std::move(detail));
    }
}

void rollout_checks::zero_completion_tokens() {
    for (std::uint32_t position : views_.owned().matched)
        if (facts_.calls[position].completion_tokens == wide_integer{0})
            add(check_id::model_call_zero_completion_tokens, locator_of(position),
                R"({"completion_tokens":0})");
}

void rollout_checks::missing_token_counts() {
    for (std::uint32_t position : views_.owned().matched) {
        const model_call& call = facts_.calls[position];
        if (call.prompt_tokens && call.completion_tokens) continue;
        const std::string_view detail =
            call.prompt_tokens       ? R"({"missing":["completion_tokens"]})"
            : call.completion_tokens ? R"({"missing":["prompt_tokens"]})"
                                     : R"({"missing":["prompt_tokens","completion_tokens"]})";
        add(check_id::model_call_missing_token_counts, locator_of(position), std::string(detail));
    }
}

void rollout_checks::capture_mismatch() {
    const call_view& view = views_.owned();
    // What was found already, as kind and call. Few: only references that did not match.
    std::vector<std::pair<std::string_view, std::string_view>> seen;
    keys_.clear();
    const auto known = [&](std::string_view kind, std::string_view label) {
        return keys_.find(mix_hash(text_hash(kind), text_hash(label)), [&](std::uint32_t other) {
            return seen[other] == std::pair(kind, label);
        }) != key_index::none;
    };
    const auto add_reference = [&](std::string_view kind, std::string_view label,
                                   std::uint32_t count) {
        if (known(kind, label)) return;
        keys_.add(mix_hash(text_hash(kind), text_hash(label)),
                  static_cast<std::uint32_t>(seen.size()));
        seen.emplace_back(kind, label);
        std::string detail;
        json_object object(detail);
        object.text("kind", kind);
        if (count > 0) object.integer("count", count);
        object.close();
        add(check_id::trajectory_capture_mismatch, call_locator(label), std::move(detail));
    };
    for (const call_reference& reference : view.missing)
        add_reference(contradictions[0].second, label_of(reference), 0);
    for (const duplicated_reference& entry : view.duplicated)
        add_reference(contradictions[1].second, label_of(entry.reference), entry.count);
    for (const observation_gap& gap : facts_.gaps) {
        const std::string_view kind = contradiction_kind(gap.code);
        const std::string_view label =
            behind_last_colon(gap.detail.empty() ? "unknown" : gap.detail.text);
        if (kind.empty() || known(kind, label)) continue;
        std::string detail;
        json_object(detail)
            .text("kind", kind)
            .text("observation_gap", gap.code)
            .raw("invocation_id", text_or_null(gap.invocation_id))
            .close();
        add(check_id::trajectory_capture_mismatch, call_locator(label), std::move(detail));
    }
}

void rollout_checks::failed_calls() {
    const call_view& view = views_.owned();
    for (std::uint32_t position : view.matched) {
        const model_call& call = facts_.calls[position];
        if (!call.failed) continue;
        const bool terminal = view.complete() && position == view.matched.back();
        std::string detail;
        json_object(detail)
            .raw("status", status_of(call))
            .raw("error_category", text_or_null(call.error_category))
            .raw("terminal", terminal ? "true" : "false")
            .close();
        add(check_id::model_call_failed, locator_of(position), std::move(detail));
    }
}

void rollout_checks::token_count_mismatch() {
    wide_integer prompt = 0;
    wide_integer completion = 0;
    for (std::uint32_t position : views_.turn().matched) {
        prompt += facts_.calls[position].prompt_tokens.value_or(0);
        completion += facts_.calls[position].completion_tokens.value_or(0);
    }
    const usage_tokens& usage = result_.usage;
    if (*usage.prompt == prompt && *usage.completion == completion) return;
    result_.beyond_64_bits =
        result_.beyond_64_bits || !writable_integer(prompt) || !writable_integer(completion);
    std::string detail;
    json_object(detail)
        .integer("transcript_prompt", *usage.prompt)
        .integer("transcript_completion", *usage.completion)
        .integer("capture_prompt", prompt)
        .integer("capture_completion", completion)
        .close();
    add(check_id::rollout_token_count_mismatch, "", std::move(detail));
}

std::string_view rollout_checks::runaway_generation() {
    std::vector<std::uint32_t> silent;
    for (std::uint32_t position : views_.owned().matched) {
        const model_call& call = facts_.calls[position];
        if (!ran_to_its_limit(call)) continue;
        switch (response_content(call.response)) {
            case presence::raises_type_error:
                return type_error;
            case presence::raises_attribute_error:
                return attribute_error;
            case presence::yes:
                break;
            case presence::no:
                silent.push_back(position);
        }
    }
    for (std::uint32_t position : silent) {
        std::string detail;
        json_object(detail)
            .text("finish_reason", facts_.calls[position].finish_reason.text)
            .close();
        add(check_id::model_call_runaway_generation, locator_of(position), std::move(detail));
    }
    return {};
}

bool ended_on_failed_call(const trajectory_facts& facts, key_index& keys) {
    // Most rollouts have no failed call at all.
    if (std::none_of(facts.calls.begin(), facts.calls.end(),
                     [](const model_call& call) { return call.failed; }))
        return false;
    const auto chains = model_chains(facts, keys);
    return std::any_of(chains.begin(), chains.end(),
                       [&](const model_chain& chain) { return ended_on_failure(chain, facts); });
}

std::uint64_t count_replayed_calls(const trajectory_facts& facts, key_index& keys) {
    keys.clear();
    std::uint64_t replayed = 0;
    for (std::uint32_t position = 0; position < facts.calls.size(); ++position) {
        const model_call& call = facts.calls[position];
        // Ids are unique in a valid trajectory: only calls without one can be the same.
        if (!call.call_id.empty() || call.response_id.empty()) continue;
        const auto same = [&](std::uint32_t other) {
            return facts.calls[other].response_id.text == call.response_id.text &&
                   facts.calls[other].model_name == call.model_name;
        };
        const std::uint64_t hash =
            mix_hash(text_hash(call.response_id.text), text_hash(call.model_name.text));
        if (keys.find_or_add(hash, position, same) != key_index::none) ++replayed;
    }
    return replayed;
}

}  // namespace gym::telemetry::health
