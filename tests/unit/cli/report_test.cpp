// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <cli/replay_report.hpp>
#include <cli/report_text.hpp>
#include <cli/run_files.hpp>
#include <gtest/gtest.h>

namespace gymtel {
namespace {

constexpr look plain{};
constexpr look utf8{.colour = false, .utf8 = true};

run_summary some_run() {
    run_summary run;
    run.environments["wordle"] = {
        .scored = 9,
        .failed = 3,
        .rewards = {0, 4, 1, 2, 0},
        .masked = {0, 0, 0, 1, 0},
        .tokens = {.input = 1'234'567, .output = 5, .input_unknown = 3, .output_unknown = 3}};
    run.environments["an_environment_with_quite_a_long_name"] = {
        .scored = 2,
        .failed = 1,
        .rewards = {2, 0, 0, 0, 0},
        .tokens = {.input_unknown = 3, .output_unknown = 3}};
    run.failures = {{2, "wordle", "agent_request_failed", "transport_timeout", "TimeoutError"},
                    {1, "an_environment_with_quite_a_long_name", "agent_request_failed",
                     "transport_timeout", "TimeoutError"},
                    {1, "wordle", "", "", ""}};
    run.rows = 15;
    run.files = 2;
    return run;
}

TEST(ReplayReport, BeginsWithTheSentenceThatMatters) {
    run_summary run = some_run();
    EXPECT_TRUE(
        to_report(run, plain)
            .starts_with(
                " ! 15 attempts: 4 failed (27 %), most often transport_timeout; 33 % of 9 rewards\n"
                "   are above zero.\n"))
        << to_report(run, plain);
    run.rejected = 1;
    run.files_refused = 2;
    EXPECT_NE(to_report(run, plain)
                  .find("1 line was refused, 2 files could not be read (see standard\n   error)."),
              std::string::npos)
        << to_report(run, plain);

    run_summary good;
    good.environments["env"] = {.scored = 1, .rewards = {0, 0, 0, 1, 0}};
    EXPECT_TRUE(to_report(good, plain)
                    .starts_with(" . 1 attempt: none failed; its reward is above zero.\n"))
        << to_report(good, plain);
    EXPECT_TRUE(to_report({}, plain).starts_with(" x No attempts: the files hold no rows."));
    run_summary drained;
    drained.drained = drained.rows = 3;
    EXPECT_TRUE(to_report(drained, plain)
                    .starts_with(" x No attempt: all rows were drained before they ran."));
}

TEST(ReplayReport, SumsUpEachTable) {
    const std::string report = to_report(some_run(), utf8);
    for (const char* line :
         {" an_environment_w…ong_name        3        2       1      unknown      unknown\n",
          " wordle                          12        9       3   1,234,567*           5*\n",
          " total                           15       11       4   1,234,567*           5*\n",
          " * without the 6 attempts that do not say\n",
          " wordle                           0        4        1        2        0       1\n",
          " Rewards that are masked   negative     zero  partial     full  above 1\n"
          " wordle                           0        0        0        1        0\n",
          " wordle             2 agent_request_failed transport_timeout  TimeoutError\n",
          " total              3 agent_request_failed transport_timeout  TimeoutError\n",
          " total              1 -                    -                  -\n",
          " Read 15 rows from 2 files. 0 of 0 rollouts unhealthy, 0 unobserved.\n"})
        EXPECT_NE(report.find(line), std::string::npos) << line << "\nin\n" << report;
}

TEST(ReplayReport, FitsIntoEightyColumns) {
    run_summary run = some_run();
    run.rejected = run.drained = 123'456'789;
    run.files_skipped = run.files_damaged = run.files_refused = 12'345;
    std::istringstream lines(to_report(run, plain));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(ReplayReport, ColoursOnlyWhereWanted) {
    EXPECT_EQ(to_report(some_run(), utf8).find('\x1b'), std::string::npos);
    EXPECT_NE(to_report(some_run(), {.colour = true, .utf8 = true}).find("\x1b[33m▲\x1b[0m"),
              std::string::npos);
}

TEST(ReplayReport, NamesCannotSteerTheTerminal) {
    run_summary run;
    run.environments
        ["a\x1b[31mb\n\xc2\x9b"
         "c"] = {.scored = 1};
    const std::string report = to_report(run, plain);
    EXPECT_EQ(report.find('\x1b'), std::string::npos);
    EXPECT_NE(report.find(" a?[31mb??c "), std::string::npos) << report;
}

TEST(ReportText, NumbersForPeople) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(999'999'999), "999,999,999");
    EXPECT_EQ(grouped(1'000'000'000), "1.0 G");
    EXPECT_EQ(grouped(999'960'000'000), "1.0 T");
    EXPECT_EQ(grouped(18'446'744'073'709'551'615U), "18.4 E");
    EXPECT_EQ(percent(0, 0), "0 %");
    EXPECT_EQ(percent(1, 1), "100 %");
    EXPECT_EQ(percent(1, 100'000), "<0.1 %");
    EXPECT_EQ(percent(1, 250), "0.4 %");
    EXPECT_EQ(percent(996, 1000), "99 %");
    EXPECT_EQ(percent(49, 100), "49 %");
}

TEST(ReportText, CellsKeepBeginAndEndOfLongNames) {
    EXPECT_EQ(left_cell("abc", 5, plain), "abc  ");
    EXPECT_EQ(left_cell("abcdefghij", 7, plain), "abcd~ij");
    EXPECT_EQ(left_cell("äöüäöüäöü", 7, utf8), "äöüä…öü");
    EXPECT_EQ(left_cell("äöü", 4, utf8), "äöü ");
    // Two columns each; where half of one would fit a space stands.
    EXPECT_EQ(left_cell("数学", 6, utf8), "数学  ");
    EXPECT_EQ(left_cell("数学推理环境", 9, utf8), "数学…境  ");
}

TEST(RunFiles, RolesFollowFromNames) {
    EXPECT_EQ(role_of("a/b.jsonl"), file_role::scored);
    EXPECT_EQ(role_of("x_failures.d/b.jsonl"), file_role::scored);
    EXPECT_EQ(role_of("a/b_failures.jsonl"), file_role::failed);
    EXPECT_EQ(role_of("b_failures.jsonl.gz"), file_role::failed);
    EXPECT_EQ(role_of("b_failures.json"), file_role::scored);
    EXPECT_EQ(role_of("b_materialized_inputs.jsonl"), file_role::no_rollouts);
    EXPECT_EQ(role_of("a/rollout_verdicts.jsonl"), file_role::no_rollouts);
    EXPECT_EQ(role_of("my_rollout_verdicts.jsonl"), file_role::scored);
    EXPECT_EQ(role_of("b_aggregate_metrics.json"), file_role::no_rollouts);
    EXPECT_EQ(failures_file_of("a/b.c.jsonl"), "a/b.c_failures.jsonl");
    EXPECT_EQ(failures_file_of("b.jsonl.gz"), "b_failures.jsonl.gz");
    EXPECT_EQ(failures_file_of("b.json"), "");
    EXPECT_EQ(failures_file_of("b_failures.jsonl"), "");
}

}  // namespace
}  // namespace gymtel
