// SPDX-License-Identifier: Apache-2.0
//
// The call site: what record_rollout_row records of a row.
#include "complaints.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/rollout.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry {
namespace {

class RolloutRow : public testing::Test {
protected:
    void start(const std::string& groups = "rollout") {
        init({.enabled = true,
              .span_groups = groups,
              .exporter = "memory",
              .ignore_environment = true});
        ASSERT_TRUE(is_exporting());
    }
    void TearDown() override { shutdown(); }

    // Each point of a rollout instrument as one line: last word of its name, attributes, value.
    static std::vector<std::string> points() {
        std::vector<std::string> lines;
        for (const point& p : collect().points) {
            if (!p.instrument.starts_with("gym.rollout.")) continue;
            std::string line = p.instrument.substr(12);
            for (const auto& [key, value] : p.attributes) {
                line += " " + key.substr(key.rfind('.') + 1) + "=";
                if (const bool* flag = std::get_if<bool>(&value))
                    line += *flag ? "true" : "false";
                else
                    line += std::get<std::string>(value);
            }
            lines.push_back(line + " " + std::to_string(std::get<std::int64_t>(p.value)));
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }

    using lines = std::vector<std::string>;
};

TEST_F(RolloutRow, ScoredRowIsAnAttemptAndAReward) {
    start();
    record_rollout_row(R"({"reward":0.25,"mask_sample":true})", outcome::scored, "env");
    record_rollout_row(rollout_row{.reward = 1.0}, outcome::scored, "env");
    EXPECT_EQ(points(), (lines{"completed_total outcome=scored name=env 2",
                               "rewarded_total range=full name=env masked=false 1",
                               "rewarded_total range=partial name=env masked=true 1"}));
}

TEST_F(RolloutRow, ScoredRowCarriesNoFailure) {
    start();
    record_rollout_row(
        R"({"reward":0,"_ng_failure_class":"c","failure_kind":"verifier_error","_ng_failure_type":"T"})",
        outcome::scored, "env");
    record_rollout_row(rollout_row{.reward = -1.0, .why = {.failure_class = "c"}}, outcome::scored,
                       "env");
    EXPECT_EQ(points(), (lines{"completed_total outcome=scored name=env 2",
                               "rewarded_total range=negative name=env masked=false 1",
                               "rewarded_total range=zero name=env masked=false 1"}));
}

TEST_F(RolloutRow, FailedAndOmittedRowsCarryFailuresAndNoReward) {
    start();
    record_rollout_row(
        R"({"reward":0.0,"_ng_failure_class":"judge_failed","failure_kind":"judge_failed",)"
        R"("_ng_failure_type":"TimeoutError","_ng_failure_message":"text"})",
        outcome::failed, "env");
    record_rollout_row(rollout_row{.reward = 1.0}, outcome::omitted, "env");
    EXPECT_EQ(points(), (lines{"completed_total outcome=failed name=env failure_class=judge_failed "
                               "failure_kind=judge_failed failure_type=TimeoutError 1",
                               "completed_total outcome=omitted name=env 1"}));
}

TEST_F(RolloutRow, RewardsThatAreNoNumbersAreUnscored) {
    start();
    for (const char* row :
         {R"({"reward":true})", R"({"reward":"1.0"})", R"({"reward":null})", "{}"})
        record_rollout_row(row, outcome::scored, "env");
    record_rollout_row(rollout_row{.reward = std::nan("")}, outcome::scored, "env");
    EXPECT_EQ(points(), (lines{"completed_total outcome=scored name=env 5"}));
}

TEST_F(RolloutRow, InfiniteRewardsCountByTheirSign) {
    start();
    constexpr double inf = std::numeric_limits<double>::infinity();
    record_rollout_row(rollout_row{.reward = inf}, outcome::scored, "env");
    record_rollout_row(R"({"reward":-1e999})", outcome::scored, "env");
    EXPECT_EQ(points(), (lines{"completed_total outcome=scored name=env 2",
                               "rewarded_total range=above_one name=env masked=false 1",
                               "rewarded_total range=negative name=env masked=false 1"}));
}

TEST_F(RolloutRow, TextThatIsNoRowIsNamedInADiagnostic) {
    start();
    const test::complaints complaints;
    record_rollout_row("[1]", outcome::scored, "list");
    record_rollout_row("{\"a\":\"\xff\"}", outcome::failed, "bytes");
    record_rollout_row("{\"a\":NaN}", outcome::scored, "nan");
    record_rollout_row("{\"a\":NaN}", outcome::scored, "nan");
    EXPECT_EQ(points(), lines{});
    EXPECT_EQ(complaints.all().size(), 3U);  // once a minute for each name
    EXPECT_TRUE(complaints.mentions({"'list'", "not_an_object", "scored"}));
    EXPECT_TRUE(complaints.mentions({"'bytes'", "utf8", "failed"}));
    EXPECT_TRUE(complaints.mentions({"'nan'", "not_json"}));
}

TEST_F(RolloutRow, DrainedRowsAreNoAttempts) {
    start();
    record_rollout_row(R"({"_ng_dispatch_drained":true,"_ng_failure_class":"cancelled"})",
                       outcome::omitted, "env");
    record_rollout_row(rollout_row{.drained = true}, outcome::omitted, "env");
    EXPECT_EQ(points(), lines{});
}

TEST_F(RolloutRow, TextThatIsNoRowRecordsNothing) {
    start();
    for (const char* text :
         {"", "{", "[1]", "{\"reward\":NaN}", "{\"a\":\"\xff\"}", "{\"a\":\"\n\"}"})
        record_rollout_row(text, outcome::scored, "env");
    EXPECT_EQ(points(), lines{});
}

TEST_F(RolloutRow, ARowMayBeWrittenInSeveralLines) {
    start();
    record_rollout_row("{\n  \"reward\": 1.0,\r\n\t\"x\": [\n]\n}\n", outcome::scored, "env");
    EXPECT_EQ(points(), (lines{"completed_total outcome=scored name=env 1",
                               "rewarded_total range=full name=env masked=false 1"}));
}

TEST_F(RolloutRow, NothingWithoutTheSpanGroup) {
    start("sandbox");
    record_rollout_row(R"({"reward":1.0})", outcome::scored, "env");
    record_rollout_row(rollout_row{.reward = 1.0}, outcome::scored, "env");
    EXPECT_EQ(points(), lines{});
}

TEST_F(RolloutRow, NothingBeforeInit) {
    record_rollout_row(R"({"reward":1.0})", outcome::scored, "env");
    start();
    EXPECT_EQ(points(), lines{});
}

}  // namespace
}  // namespace gym::telemetry
