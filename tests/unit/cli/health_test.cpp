// SPDX-License-Identifier: Apache-2.0
//
// gymtel health from outside, and the verdicts that a replay records.
#include "run_gymtel.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace gymtel {
namespace {

const std::string unobserved_row = R"({"agent_ref":{"name":"env"},"reward":1.0})"
                                   "\n";
const std::string unreadable_row = R"({"agent_ref":{"name":"env"},"reward":1.0,"ng_trajectory":5})"
                                   "\n";

TEST(Health, WritesBothFilesAndSaysWhatMatters) {
    folder f;
    f.write("rollouts.jsonl", unobserved_row + unreadable_row);
    const finished done = run_gymtel(f, {"health", "--workers", "2", "rollouts.jsonl"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_EQ(done.err, "");
    EXPECT_TRUE(
        done.out.starts_with("1 of 2 rollouts unhealthy: record_unreadable in 1, all on env env\n"))
        << done.out;
    EXPECT_TRUE(
        done.out.ends_with("Rollout health: 2 checked, 0 healthy, 1 unhealthy, 1 unobserved\n"
                           "Quality summary: quality_summary.json\n"))
        << done.out;
}

TEST(Health, PrintsTheSummaryAsJson) {
    folder f;
    f.write("rollouts.jsonl", unreadable_row);
    const finished done = run_gymtel(f, {"health", "--json", "--ignore", "record_unreadable",
                                         "--output", "made/here", "rollouts.jsonl"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_TRUE(done.out.starts_with(R"({"run":{"ignored_checks":["record_unreadable"],)"))
        << done.out;
    EXPECT_TRUE(done.out.ends_with("\n"));
}

TEST(Health, RefusesUnknownChecksAndMissingFiles) {
    folder f;
    f.write("rollouts.jsonl", unobserved_row);
    const finished unknown =
        run_gymtel(f, {"health", "--ignore", "zz,model_call_failed,a", "rollouts.jsonl"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_EQ(unknown.out, "");
    EXPECT_EQ(unknown.err, "gymtel health: Unknown rollout health check(s): a, zz\n");
    EXPECT_EQ(run_gymtel(f, {"health", "none.jsonl"}).exit_code, 2);
    EXPECT_EQ(run_gymtel(f, {"health"}).exit_code, 2);
}

TEST(Health, IsEvaluatedInAReplayUnlessToldNot) {
    folder f;
    f.write("rollouts.jsonl", unobserved_row + unreadable_row + "nope\n");
    const finished done = run_gymtel(f, {"replay", "--json", "rollouts.jsonl"});
    EXPECT_EQ(done.exit_code, 3);
    for (
        const char* part :
        {R"("nemo.gym.health.verdict":"unobserved","nemo.gym.rollout.outcome":"scored"},"value":1)",
         R"("nemo.gym.health.verdict":"unhealthy","nemo.gym.rollout.outcome":"scored"},"value":1)",
         R"("nemo.gym.health.check":"record_unreadable","nemo.gym.rollout.outcome":"scored"},"value":1)"})
        EXPECT_NE(done.out.find(part), std::string::npos) << done.out;
    const finished without = run_gymtel(f, {"replay", "--no-health", "--json", "rollouts.jsonl"});
    EXPECT_EQ(without.out.find("health"), std::string::npos) << without.out;
}

}  // namespace
}  // namespace gymtel
