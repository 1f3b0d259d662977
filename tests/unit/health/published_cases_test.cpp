// SPDX-License-Identifier: Apache-2.0
//
// What the published tests of NeMo Gym and the rules of live evaluation say, in short rows.
#include "health_rows.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/health.hpp>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry::health {
namespace {

using tests::row_text;
using tests::scratch_folder;

struct outcome_of_report {
    std::map<std::string, std::uint64_t> findings;  // without zeros
    std::uint64_t healthy = 0;
    std::uint64_t unhealthy = 0;
    std::uint64_t unobserved = 0;
};

outcome_of_report report_over(const std::vector<std::string>& rows,
                              const std::vector<std::string>& ignored = {}) {
    const scratch_folder folder;
    std::string text;
    for (const std::string& row : rows) text += row + "\n";
    const auto report = run_health_report({.files = {folder.write("rollouts.jsonl", text)},
                                           .output_folder = {},
                                           .ignored_checks = ignored,
                                           .workers = {}});
    EXPECT_EQ(report.error, "");
    outcome_of_report outcome{{}, report.healthy, report.unhealthy, report.unobserved};
    for (std::size_t i = 0; i < health_check_ids.size(); ++i)
        if (report.findings[i] > 0)
            outcome.findings[std::string(health_check_ids[i])] = report.findings[i];
    return outcome;
}

using counts = std::map<std::string, std::uint64_t>;

TEST(PublishedCases, IdsBeginWithTheirSubject) {
    const std::vector<std::string> prefixes{
        "check_execution_",    "record_", "rollout_", "agent_turn_", "model_call_",
        "trajectory_capture_", "task_"};
    for (std::string_view id : health_check_ids)
        EXPECT_TRUE(std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
            return id.starts_with(prefix);
        })) << id;
}

TEST(PublishedCases, OneCallWithTwoReferencesIsOneFinding) {
    const auto outcome = report_over(
        {row_text({.status = "500", .invocation_references = R"([{"model_call_id":"c0"}])"})});
    EXPECT_EQ(outcome.findings, (counts{{"model_call_failed", 1},
                                        {"rollout_ended_on_failed_model_call", 1},
                                        {"task_no_successful_model_calls", 1}}));
    EXPECT_EQ(outcome.unhealthy, 1U);
}

TEST(PublishedCases, ZeroAndMissingTokens) {
    EXPECT_EQ(report_over({row_text({.tokens_out = "0"})}).findings,
              (counts{{"model_call_zero_completion_tokens", 1}}));
    EXPECT_EQ(report_over({row_text({.tokens_out = "null"})}).findings,
              (counts{{"model_call_missing_token_counts", 1}}));
}

TEST(PublishedCases, AnIgnoredCheckIsNotRun) {
    const auto outcome = report_over({row_text({.tokens_out = "0"}), row_text({.task = "1"})},
                                     {"model_call_zero_completion_tokens"});
    EXPECT_EQ(outcome.findings, counts{});
    EXPECT_EQ(outcome.healthy, 2U);
}

TEST(PublishedCases, ATaskWithoutASuccessfulCall) {
    const auto outcome = report_over(
        {row_text({.task = "2", .status = "500"}),
         row_text(
             {.task = "2", .rollout = "1", .status = "null", .error_category = "\"timeout\""})});
    EXPECT_EQ(outcome.findings, (counts{{"rollout_ended_on_failed_model_call", 2},
                                        {"model_call_failed", 2},
                                        {"task_consistently_unhealthy", 1},
                                        {"task_no_successful_model_calls", 1}}));
    EXPECT_EQ(outcome.unhealthy, 2U);
}

// Live: what a rejected line, a copy and a row without a trajectory are.
TEST(PublishedCases, LiveVerdictsComeFromOneRow) {
    EXPECT_FALSE(evaluate_rollout(R"({"_ng_task_index":1,"_ng_rollout)"));
    EXPECT_EQ(evaluate_rollout(row_text())->verdict, verdict::healthy);
    EXPECT_EQ(evaluate_rollout(row_text())->verdict, verdict::healthy);
    for (const char* row :
         {R"({"_ng_task_index":0,"_ng_rollout_index":0,"agent_ref":{"name":"env"},"reward":1.0})",
          R"({"_ng_task_index":1,"_ng_failure_class":"agent_run_error"})"})
        EXPECT_EQ(evaluate_rollout(row)->verdict, verdict::unobserved);
}

}  // namespace
}  // namespace gym::telemetry::health
