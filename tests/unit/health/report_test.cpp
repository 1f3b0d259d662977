// SPDX-License-Identifier: Apache-2.0
#include "health/report.hpp"

#include "health_rows.hpp"

#include <gym/telemetry/health.hpp>

#include <string>

#include <gtest/gtest.h>

namespace gym::telemetry::health {
namespace {

using tests::file_text;
using tests::row_text;
using tests::row_with;
using tests::scratch_folder;

std::size_t found(const health_report& report, std::string_view check) {
    const auto at = std::find(health_check_ids.begin(), health_check_ids.end(), check);
    return report.findings[static_cast<std::size_t>(at - health_check_ids.begin())];
}

class Report : public testing::Test {
protected:
    health_report run(const std::string& text, std::vector<std::string> ignored = {}) {
        return run_health_report({.files = {folder_.write("rollouts.jsonl", text)},
                                  .output_folder = {},
                                  .ignored_checks = std::move(ignored),
                                  .workers = {}});
    }
    std::string verdicts() const { return file_text(folder_.path() / "rollout_verdicts.jsonl"); }
    std::string summary() const { return file_text(folder_.path() / "quality_summary.json"); }

    scratch_folder folder_;
};

TEST_F(Report, OfNothingIsZeros) {
    const health_report report = run(" \n\n");
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.records, 0U);
    EXPECT_EQ(verdicts(), "");
    EXPECT_TRUE(summary().ends_with("\n  \"tasks\": {}\n}"));
    EXPECT_TRUE(report.text.starts_with("No rollouts\n"));
}

TEST_F(Report, NamesUnreadableLines) {
    const health_report report = run("\n{\n" + row_text({.task = "7"}) + "\n[]");
    EXPECT_EQ(report.records, 3U);
    EXPECT_EQ(report.unhealthy, 2U);
    const std::string path = (folder_.path() / "rollouts.jsonl").string();
    EXPECT_TRUE(verdicts().starts_with(R"({"_ng_task_index":7,"_ng_rollout_index":0,)"
                                       R"("rollout_id":"r","verdict":"healthy",)"
                                       R"("findings":[],"unobserved":[]})"
                                       "\n"));
    EXPECT_NE(
        verdicts().find(
            R"({"_ng_task_index":"__unreadable_record__:input-0:line-2","_ng_rollout_index":0,)"
            R"("rollout_id":"__unreadable_record__:input-0:line-2-0","verdict":"unhealthy",)"
            R"("findings":[{"check":"record_unreadable","locator":{"source_file":")" +
            path +
            R"(","line":2},"detail":{"reason":"rollout record is unreadable",)"
            R"("error":"JSONDecodeError"}}],"unobserved":["check_execution_error",)"),
        std::string::npos)
        << verdicts();
    EXPECT_NE(verdicts().find(R"("line":4},"detail":{"reason":"rollout record is unreadable",)"
                              R"("error":"ValueError"})"),
              std::string::npos);
}

TEST_F(Report, FlagsCopiesOfOneRollout) {
    const health_report report =
        run(row_text() + "\n" + row_text() + "\n" + row_text({.stage = "1"}) + "\n" +
            row_text({.stage = "\"None\""}) + "\n" + row_text({.rollout = "\"0\""}) + "\n");
    EXPECT_EQ(found(report, "rollout_duplicate_identity"), 2U);
    EXPECT_EQ(report.unhealthy, 2U);
    EXPECT_NE(
        verdicts().find(
            R"("findings":[{"check":"rollout_duplicate_identity","detail":{"duplicate_count":2}}])"),
        std::string::npos);
}

TEST_F(Report, JudgesTasksByTheirRepeats) {
    const std::string failed =
        row_text({.status = "500"}) + "\n" + row_text({.rollout = "1", .status = "500"}) + "\n";
    const health_report report = run(failed + row_text({.task = "1"}) + "\n");
    EXPECT_EQ(found(report, "task_consistently_unhealthy"), 1U);
    EXPECT_EQ(found(report, "task_no_successful_model_calls"), 1U);
    EXPECT_NE(report.summary_json.find(
                  R"("tasks":{"0":{"repeats":2,"healthy":0,"unhealthy":2,"unobserved":0,"flags":)"
                  R"(["task_consistently_unhealthy","task_no_successful_model_calls"]},"1":)"),
              std::string::npos);
}

TEST_F(Report, SortsTasksAsTextAndVerdictsByValue) {
    const health_report report =
        run(row_with({.task = "10"}, "null") + "\n" + row_with({.task = "\"2\""}, "null") + "\n" +
            row_with({.task = "2"}, "null") + "\n" + row_with({.task = "\"a\""}, "null") + "\n");
    const auto at = [](const std::string& text, const char* part) { return text.find(part); };
    EXPECT_LT(at(report.summary_json, "\"10\":{"), at(report.summary_json, "\"2\":{"));
    EXPECT_LT(at(report.summary_json, "\"2\":{"), at(report.summary_json, "\"a\":{"));
    EXPECT_LT(at(verdicts(), "_index\":2,"), at(verdicts(), "_index\":10,"));
    EXPECT_LT(at(verdicts(), "_index\":10,"), at(verdicts(), "_index\":\"2\","));
}

TEST_F(Report, FailsUnwrittenForAnOddIndex) {
    const health_report report = run(row_text() + "\n" + row_text({.task = "1.5"}));
    EXPECT_NE(report.error.find("rollouts.jsonl:2: _ng_task_index"), std::string::npos)
        << report.error;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "quality_summary.json"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "quality_summary.json.tmp"));
}

TEST_F(Report, FailsForUnknownChecksAndMissingFiles) {
    EXPECT_EQ(run("", {"odd", "a"}).error, "Unknown rollout health check(s): a, odd");
    EXPECT_EQ(run_health_report({.files = {"./no/such.jsonl"}}).error,
              "Rollout JSONL not found: no/such.jsonl");
    EXPECT_NE(run_health_report({}).error, "");
    EXPECT_NE(run_health_report({.files = {folder_.write("x", "")}, .workers = 0}).error, "");
}

TEST_F(Report, DoesNotDependOnWorkers) {
    std::string text;
    for (int i = 0; i < 3000; ++i)
        text += row_text({.task = std::to_string(i / 4),
                          .rollout = std::to_string(i % 3),
                          .status = i % 5 == 0 ? "500" : "200"}) +
                (i % 7 == 0 ? "\n{\n" : "\n");
    const std::string file = folder_.write("rollouts.jsonl", text);
    const auto one = run_health_report({.files = {file}, .workers = 1});
    const std::string expected = verdicts();
    EXPECT_EQ(one.records, 3429U);
    for (std::uint32_t workers : {2U, 3U, 8U}) {
        const auto many = run_health_report({.files = {file}, .workers = workers});
        EXPECT_EQ(many.summary_json, one.summary_json);
        EXPECT_EQ(verdicts(), expected);
    }
}

// A line longer than a block, and lines that end in one block and began in another.
TEST_F(Report, ReadsLinesOfAnyLength) {
    std::string text;
    for (std::size_t size : {std::size_t{5} << 20, std::size_t{10}, std::size_t{1} << 20})
        text += row_text({.rollout = std::to_string(size),
                          .answer = "\"" + std::string(size, 'x') + "\""}) +
                "\n";
    const health_report report = run(text + text.substr(0, text.size() - 1));
    EXPECT_EQ(report.records, 6U);
    EXPECT_EQ(found(report, "rollout_duplicate_identity"), 6U);
    EXPECT_EQ(report.unhealthy, 6U);
}

TEST_F(Report, StartsWithTheSentenceThatMatters) {
    std::string text;
    for (int i = 0; i < 128; ++i)
        text += row_text({.task = std::to_string(i), .tokens_out = i < 4 ? "0" : "5"}) + "\n";
    const health_report report = run(text);
    EXPECT_TRUE(report.text.starts_with(
        "4 of 128 rollouts unhealthy: model_call_zero_completion_tokens in 4, all on env\n  env\n"))
        << report.text;
    EXPECT_TRUE(report.text.ends_with(
        "Rollout health: 128 checked, 124 healthy, 4 unhealthy, 0 unobserved\nQuality summary: " +
        report.summary_path + "\n"));
}

TEST_F(Report, FitsEightyColumns) {
    std::string text;
    for (int i = 0; i < 30; ++i)
        text += R"({"_ng_environment_server":")" + std::string(60, 'e') + std::to_string(i) +
                R"(\u001b[31m","ng_trajectory":5})" + "\n" +
                row_text({.status = "500", .tokens_out = "0", .answer = "0"}) + "\n";
    const std::string shown = run(text).text;
    EXPECT_NE(shown.find("\n" + std::string(31, 'e') + "...  "), std::string::npos) << shown;
    std::istringstream lines(shown);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("Quality summary:")) continue;  // a path is not broken
        EXPECT_LE(line.size(), 80U) << line;
        EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
}

TEST_F(Report, IdeographsTakeTwoColumns) {
    const health_report report =
        run("{\"_ng_environment_server\":\"数学\",\"ng_trajectory\":5}\n" + row_text({}) + "\n");
    EXPECT_NE(report.text.find("\n数学" + std::string(32 + 12, ' ') + "1 "), std::string::npos)
        << report.text;
}

TEST(PlainPath, IsAsPathlibPrintsIt) {
    for (const auto& [path, plain] : {std::pair{"./a//b/./c.jsonl", "a/b/c.jsonl"},
                                      {"a/../b", "a/../b"},
                                      {"/", "/"},
                                      {"//x", "//x"},
                                      {"///x", "/x"},
                                      {".", "."},
                                      {"/./x/", "/x"},
                                      {"rollouts.jsonl", "rollouts.jsonl"}})
        EXPECT_EQ(plain_path(path), plain);
}

}  // namespace
}  // namespace gym::telemetry::health
