// SPDX-License-Identifier: Apache-2.0
#include "base/health_check_ids.hpp"
#include "health_rows.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/health.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry::health {
namespace {

using tests::row_text;
using tests::row_with;
using tests::short_row;

using strings = std::vector<std::string>;

// Each finding as "check locator detail".
strings findings_of(const std::string& row, const health_options& options = {}) {
    const auto result = evaluate_rollout(row, options);
    strings found;
    if (!result) return {"no rollout"};
    for (const health_finding& finding : result->findings)
        found.push_back(std::string(finding.check) + " " + finding.locator + " " + finding.detail);
    return found;
}

std::string_view verdict_of(const std::string& row, const health_options& options = {}) {
    const auto result = evaluate_rollout(row, options);
    return result ? result->verdict : "no rollout";
}

strings unobserved_of(const std::string& row) {
    const auto result = evaluate_rollout(row);
    return {result->unobserved.begin(), result->unobserved.end()};
}

const strings behind_the_trajectory(health_check_ids.begin() + 3, health_check_ids.begin() + 12);

TEST(HealthChecks, AreTheOnesOfTheConfiguration) {
    std::vector<std::string_view> configured(detail::rollout_health_check_ids.begin(),
                                             detail::rollout_health_check_ids.end());
    configured.insert(configured.end(), detail::task_health_check_ids.begin(),
                      detail::task_health_check_ids.end());
    EXPECT_TRUE(std::equal(configured.begin(), configured.end(), health_check_ids.begin(),
                           health_check_ids.end()));
}

TEST(RolloutChecks, FindNothingInAHealthyRow) {
    const auto result = evaluate_rollout(row_text());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->verdict, verdict::healthy);
    EXPECT_TRUE(result->findings.empty());
    EXPECT_TRUE(result->unobserved.empty());
    EXPECT_TRUE(result->flagged_checks().empty());
}

TEST(RolloutChecks, SayNothingOfWhatIsNoObject) {
    for (const char* text : {"", "[]", "1", "{", R"({"a":NaN})"})
        EXPECT_FALSE(evaluate_rollout(text)) << text;
}

TEST(RolloutChecks, ObserveNothingWithoutATrajectory) {
    EXPECT_EQ(verdict_of(row_with({}, "null")), verdict::unobserved);
    EXPECT_EQ(unobserved_of(R"({"reward":1.0})"), behind_the_trajectory);
}

TEST(RolloutChecks, FindAnInvalidTrajectory) {
    const std::string detail = R"({"reason":"canonical trajectory is unreadable","error":)";
    EXPECT_EQ(findings_of(row_with({}, "[]")),
              strings{"record_unreadable  " + detail + "\"ValidationError\"}"});
    EXPECT_EQ(findings_of(row_text({.conversation = R"([{"role":[]}])"})),
              strings{"record_unreadable  " + detail + "\"TypeError\"}"});
    const std::string deep = std::string(256, '[') + std::string(256, ']');
    EXPECT_EQ(findings_of(row_text({.answer = deep})),
              strings{"record_unreadable  " + detail + "\"ValueError\"}"});
    EXPECT_EQ(unobserved_of(row_with({}, "5")), behind_the_trajectory);
    EXPECT_EQ(verdict_of(row_with({}, "5"), {.ignored_checks = {"record_unreadable"}}),
              verdict::unobserved);
}

TEST(RolloutChecks, FindMissingTurns) {
    const std::string missing =
        R"(rollout_missing_agent_turns  {"reason":"no agent turn with model activity"})";
    const std::string hollow =
        R"(agent_turn_hollow {"turn":1} {"reason":"agent turn has no message or tool calls"})";
    EXPECT_EQ(findings_of(row_text({.answer = "\" \"", .turn_references = "[]"})),
              (strings{missing, hollow}));
    // A reference is activity, but no content.
    EXPECT_EQ(findings_of(row_text({.answer = "{\"x\":\"y\"}"})), strings{hollow});
    EXPECT_TRUE(findings_of(row_text({.answer = R"([[{"type":"tool_use"}]])"})).empty());
    EXPECT_TRUE(findings_of(row_text({.answer = R"({"tool_calls":[1]})"})).empty());
}

TEST(RolloutChecks, FindFailedCalls) {
    const std::string ended =
        R"(rollout_ended_on_failed_model_call {"call_id":"c0"} )"
        R"({"model_ref":"responses_api_models/policy","status":500,"error_category":null,)"
        R"("observed_calls":1,"successful_calls":0})";
    const std::string failed =
        R"(model_call_failed {"call_id":"c0"} {"status":500,"error_category":null,"terminal":true})";
    EXPECT_EQ(findings_of(row_text({.status = "500"})), (strings{ended, failed}));
    EXPECT_EQ(
        evaluate_rollout(row_text({.status = "500"}))->flagged_checks(),
        (std::vector<std::string_view>{"rollout_ended_on_failed_model_call", "model_call_failed"}));
    EXPECT_EQ(verdict_of(row_text({.status = "399"})), verdict::healthy);
    EXPECT_EQ(verdict_of(row_text({.error_category = "\"timeout\""})), verdict::unhealthy);
}

// A call without a reference still ends a rollout, unless a later one of its model worked.
TEST(RolloutChecks, JudgeTheLastCallOfEachModelByTime) {
    const auto call = [](const char* started, const char* status, const char* name) {
        return std::string(R"(,{"started_at":)") + started +
               R"(,"response_metadata":{"status_code":)" + status +
               R"(,"model_ref":{"type":"responses_api_models","name":")" + name + "\"}}}";
    };
    EXPECT_EQ(verdict_of(row_text({.more_calls = call("2", "500", "policy")})), verdict::unhealthy);
    EXPECT_EQ(verdict_of(row_text({.more_calls = call("0.5", "500", "policy")})), verdict::healthy);
    EXPECT_EQ(verdict_of(row_text({.more_calls = call("null", "500", "policy")})),
              verdict::healthy);
    EXPECT_EQ(verdict_of(row_text({.more_calls = call("0.5", "500", "judge")})),
              verdict::unhealthy);
}

TEST(RolloutChecks, FindTokenFaults) {
    EXPECT_EQ(
        findings_of(row_text({.tokens_out = "0"})),
        strings{R"(model_call_zero_completion_tokens {"call_id":"c0"} {"completion_tokens":0})"});
    EXPECT_EQ(findings_of(row_text({.tokens_out = "null"})),
              strings{R"(model_call_missing_token_counts {"call_id":"c0"} )"
                      R"({"missing":["completion_tokens"]})"});
    std::string differs = row_text();
    differs.replace(differs.find("\"input_tokens\":10"), 17, "\"input_tokens\":11");
    EXPECT_EQ(findings_of(differs),
              strings{R"(rollout_token_count_mismatch  {"transcript_prompt":11,)"
                      R"("transcript_completion":5,"capture_prompt":10,"capture_completion":5})"});
}

TEST(RolloutChecks, FindReferencesThatMatchNothing) {
    EXPECT_EQ(
        findings_of(row_text({.turn_references = R"([{"model_call_id":"a:b"}])"})),
        strings{R"(trajectory_capture_mismatch {"call_id":"b"} {"kind":"missing_captured_call"})"});
    EXPECT_EQ(
        findings_of(row_text(
            {.gaps = R"([{"code":"model_call_reference_conflict","invocation_id":"i0"}])"})),
        strings{R"(trajectory_capture_mismatch {"call_id":"unknown"} )"
                R"({"kind":"conflicting_call_ownership",)"
                R"("observation_gap":"model_call_reference_conflict","invocation_id":"i0"})"});
}

TEST(RolloutChecks, FindRunawayGeneration) {
    const std::string runaway =
        R"(model_call_runaway_generation {"call_id":"c0"} {"finish_reason":"length"})";
    short_row row{.finish_reason = "\"length\"", .response = R"({"output":[]})"};
    EXPECT_EQ(findings_of(row_text(row)), strings{runaway});
    row.response = R"({"choices":[{"message":{"content":"x"}}]})";
    EXPECT_TRUE(findings_of(row_text(row)).empty());
    row.response = "null";
    EXPECT_EQ(unobserved_of(row_text(row)), strings{"model_call_runaway_generation"});
}

TEST(RolloutChecks, SayWhenACheckRaises) {
    const std::string raised = R"(check_execution_error  {"reason":"check raised an unexpected )"
                               R"(exception","failed_check":")";
    EXPECT_EQ(findings_of(row_text({.answer = R"({"type":[]})"})),
              (strings{raised + R"(rollout_missing_agent_turns","error":"TypeError"})",
                       raised + R"(agent_turn_hollow","error":"TypeError"})"}));
    EXPECT_EQ(findings_of(row_text(
                  {.finish_reason = "\"length\"", .response = R"({"choices":[{"message":"x"}]})"})),
              strings{raised + R"(model_call_runaway_generation","error":"AttributeError"})"});
    EXPECT_EQ(verdict_of(row_text({.answer = R"({"type":[]})"}),
                         {.ignored_checks = {"check_execution_error"}}),
              verdict::unobserved);
}

TEST(RolloutChecks, AreHiddenByGaps) {
    const auto unobserved = [](const std::string& code) {
        return unobserved_of(row_text({.gaps = "[{\"code\":\"" + code + "\"}]"}));
    };
    EXPECT_EQ(unobserved("trajectory_projection_failed"), behind_the_trajectory);
    EXPECT_EQ(unobserved("turns_unavailable"),
              (strings{"rollout_missing_agent_turns", "agent_turn_hollow"}));
    EXPECT_EQ(unobserved("model_call_capture_incomplete").size(), 7U);
    EXPECT_EQ(unobserved("turn_model_call_scope_incomplete"),
              strings{"rollout_token_count_mismatch"});
    EXPECT_TRUE(unobserved("odd").empty());
}

TEST(RolloutChecks, AreNotRunWhenIgnored) {
    const std::string row = row_text({.tokens_out = "0"});
    EXPECT_EQ(verdict_of(row, {.ignored_checks = {" model_call_zero_completion_tokens ,,odd"}}),
              verdict::healthy);
    EXPECT_EQ(unknown_health_checks({"b_odd,model_call_failed", " a_odd ", "b_odd"}),
              (strings{"a_odd", "b_odd"}));
}

TEST(RolloutChecks, JudgeWhatReplayReadsBeyondStrictJson) {
    EXPECT_EQ(verdict_of(row_text({.answer = R"("\ud800")"})), verdict::healthy);
    EXPECT_EQ(verdict_of(row_text({.response = R"({"output_text":"x","score":1e999})"})),
              verdict::healthy);
}

TEST(RolloutChecks, FollowRowsOfAnySizeOneAfterAnother) {
    const std::string large = row_text({.answer = "\"" + std::string(3 << 20, 'x') + "\""});
    EXPECT_EQ(verdict_of(large), verdict::healthy);
    EXPECT_EQ(verdict_of(row_text({.status = "500"})), verdict::unhealthy);
    EXPECT_EQ(verdict_of(row_text()), verdict::healthy);
}

}  // namespace
}  // namespace gym::telemetry::health
