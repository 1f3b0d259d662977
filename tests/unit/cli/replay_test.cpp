// SPDX-License-Identifier: Apache-2.0
//
// gymtel replay from outside: files in, points, counts, complaints and exit code out.
#include "run_gymtel.hpp"
#include "sanitizers.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

namespace gymtel {
namespace {

const std::string row = R"({"agent_ref":{"name":"env"},"reward":1.0})"
                        "\n";
const std::string failed_row =
    R"({"agent_ref":{"name":"env"},"_ng_failure_class":"agent_run_error"})"
    "\n";

finished replay(const folder& where, std::vector<std::string> files) {
    files.insert(files.begin(), {"replay", "--no-health", "--json"});
    return run_gymtel(where, std::move(files));
}

std::string counts(int rows, int rejected, int files) {
    return "\"rows\":" + std::to_string(rows) + ",\"rows_rejected\":" + std::to_string(rejected) +
           ",\"files\":" + std::to_string(files) + "}\n";
}

std::string completed(const std::string& outcome, int n, const std::string& failure = {}) {
    return R"({"instrument":"gym.rollout.completed_total","kind":"counter","attributes":{)"
           R"("nemo.gym.rollout.outcome":")" +
           outcome + R"(","nemo.gym.rollout.dispatch.name":"env")" + failure + R"(},"value":)" +
           std::to_string(n) + "}";
}

std::string rewarded(const std::string& range, int n) {
    return R"({"instrument":"gym.rollout.rewarded_total","kind":"counter","attributes":{)"
           R"("nemo.gym.rollout.reward.range":")" +
           range +
           R"(","nemo.gym.rollout.dispatch.name":"env","nemo.gym.rollout.masked":false},"value":)" +
           std::to_string(n) + "}";
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.ends_with(end);
}

TEST(Replay, PrintsPointsAndCounts) {
    folder f;
    f.write("rollouts.jsonl", row + row);
    const finished done = replay(f, {"rollouts.jsonl"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(done.out, "{\"points\":[" + completed("scored", 2) + "," + rewarded("full", 2) +
                            "]," + counts(2, 0, 1));
}

TEST(Replay, NamesWhatItRefuses) {
    folder f;
    f.write("a.jsonl", row + "nope\n\n[1]\n{\"a\":\"\xff\"}\n{\"a\":" + std::string(2000, '[') +
                           "\n" + row + "{\"a\":");
    const finished done = replay(f, {"a.jsonl"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err,
              "a.jsonl:2: not_json\na.jsonl:4: not_an_object\na.jsonl:5: utf8\n"
              "a.jsonl:6: too_deep\na.jsonl:8: truncated\n");
    EXPECT_TRUE(ends_with(done.out, counts(2, 5, 1))) << done.out;
}

TEST(Replay, ReadsTheFailuresFileBesideTheRun) {
    folder f;
    f.write("v1.2.jsonl", row);
    f.write("v1.2_failures.jsonl", failed_row + "{\"x\":");
    const finished done = replay(f, {"v1.2.jsonl"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err, "v1.2_failures.jsonl:2: truncated\n");
    EXPECT_NE(
        done.out.find(completed("failed", 1, R"(,"nemo.gym.failure_class":"agent_run_error")")),
        std::string::npos)
        << done.out;
    EXPECT_TRUE(ends_with(done.out, counts(2, 1, 2))) << done.out;
    // Named by itself, or as well.
    EXPECT_TRUE(ends_with(replay(f, {"v1.2_failures.jsonl"}).out, counts(1, 1, 1)));
    EXPECT_TRUE(ends_with(replay(f, {"v1.2_failures.jsonl", "v1.2.jsonl"}).out, counts(2, 1, 2)));
}

TEST(Replay, ReadsAFileOnceUnderAnyName) {
    folder f;
    f.write("rollouts.jsonl", row);
    std::filesystem::create_symlink("rollouts.jsonl", f.path("link.jsonl"));
    std::filesystem::create_hard_link(f.path("rollouts.jsonl"), f.path("hard.jsonl"));
    const finished done =
        replay(f, {"rollouts.jsonl", "./rollouts.jsonl", "link.jsonl", "hard.jsonl"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_TRUE(ends_with(done.out, counts(1, 0, 1))) << done.out;
}

TEST(Replay, SkipsFilesThatHoldNoRollouts) {
    folder f;
    f.write("r.jsonl", row);
    for (const char* name :
         {"r_materialized_inputs.jsonl", "rollout_verdicts.jsonl", "r_aggregate_metrics.json"})
        f.write(name, row);
    const finished done = replay(f, {"r_materialized_inputs.jsonl", "rollout_verdicts.jsonl",
                                     "r.jsonl", "r_aggregate_metrics.json"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_EQ(done.err,
              "r_materialized_inputs.jsonl: skipped, it holds no rollouts\n"
              "rollout_verdicts.jsonl: skipped, it holds no rollouts\n"
              "r_aggregate_metrics.json: skipped, it holds no rollouts\n");
    EXPECT_TRUE(ends_with(done.out, counts(1, 0, 1)));
    const finished none = replay(f, {"rollout_verdicts.jsonl"});
    EXPECT_EQ(none.exit_code, 0);
    EXPECT_EQ(none.out, "{\"points\":[]," + counts(0, 0, 0));
}

TEST(Replay, CompressionIsSeenByTheFirstBytes) {
    folder f;
    f.write("packed.jsonl", gzip(row + row));
    f.write("plain.jsonl.gz", row);
    f.write("members.jsonl", gzip(row) + gzip("") + gzip(row) + std::string(100, '\0'));
    f.write("packed_failures.jsonl", gzip(failed_row));
    const finished done = replay(f, {"packed.jsonl", "plain.jsonl.gz", "members.jsonl"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(ends_with(done.out, counts(6, 0, 4))) << done.out;
}

TEST(Replay, DamagedCompressedDataKeepsItsRows) {
    folder f;
    const std::string packed = gzip(row + row);
    f.write("cut.jsonl", packed.substr(0, packed.size() - 6));
    f.write("torn.jsonl", gzip(row + "{\"a\":1").substr(0, gzip(row + "{\"a\":1").size() - 8));
    f.write("tail.jsonl", packed + "garbage");
    std::string flipped = packed;
    flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 0x55);
    f.write("crc.jsonl", flipped);
    f.write("head.jsonl", packed.substr(0, 5));
    const auto check = [&f](const std::string& name, int rows, int rejected,
                            const std::string& err) {
        const finished done = replay(f, {name});
        EXPECT_EQ(done.exit_code, 3) << name;
        EXPECT_TRUE(ends_with(done.out, counts(rows, rejected, 1))) << name << done.out;
        EXPECT_EQ(done.err, err);
    };
    check("cut.jsonl", 2, 0, "cut.jsonl: truncated: the compressed data ends too early\n");
    check("torn.jsonl", 1, 1, "torn.jsonl:2: truncated (the compressed data ends too early)\n");
    check("tail.jsonl", 2, 0, "tail.jsonl: damaged: something follows the compressed data\n");
    check("crc.jsonl", 2, 0, "crc.jsonl: damaged: incorrect data check\n");
    check("head.jsonl", 0, 0, "head.jsonl: truncated: the compressed data ends too early\n");
}

TEST(Replay, OtherCompressionIsNamed) {
    folder f;
    f.write("a.jsonl", "\x28\xb5\x2f\xfd rest of it");
    f.write("b.jsonl", row);
    const finished both = replay(f, {"a.jsonl", "b.jsonl"});
    EXPECT_EQ(both.exit_code, 3);
    EXPECT_EQ(both.err,
              "a.jsonl: compressed with zstd, which is not read; unpack it, or compress it with "
              "gzip\n");
    EXPECT_TRUE(ends_with(both.out, counts(1, 0, 1)));
    const finished alone = replay(f, {"a.jsonl"});
    EXPECT_EQ(alone.exit_code, 2);
    EXPECT_EQ(alone.out, "");
}

TEST(Replay, UsageErrorsAndMissingFilesAreTwo) {
    folder f;
    f.write("r.jsonl", row);
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"replay", "--json"},
                                               {"replay", "--bad", "r.jsonl"},
                                               {"rewind", "r.jsonl"},
                                               {},
                                               {"replay", "--json", "missing.jsonl"},
                                               {"replay", "--json", "."}}) {
        const finished done = run_gymtel(f, arguments);
        EXPECT_EQ(done.exit_code, 2);
        EXPECT_EQ(done.out, "");
        EXPECT_NE(done.err, "");
    }
    const finished one = replay(f, {"missing.jsonl", "r.jsonl"});
    EXPECT_EQ(one.exit_code, 3);
    EXPECT_EQ(one.err, "missing.jsonl: No such file or directory\n");
    EXPECT_TRUE(ends_with(one.out, counts(1, 0, 1)));
}

TEST(Replay, EmptyFilesAreFiles) {
    folder f;
    f.write("empty.jsonl", "");
    f.write("mark.jsonl", "\xef\xbb\xbf");
    f.write("short.jsonl", "{}");
    const finished done = replay(f, {"empty.jsonl", "mark.jsonl", "short.jsonl"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_TRUE(ends_with(done.out, counts(1, 0, 3))) << done.out;
}

TEST(Replay, ReadsStandardInput) {
    folder f;
    const finished done = run_gymtel(f, {"replay", "--json", "-"}, row + "x\n");
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err, "<stdin>:2: not_json\n");
    EXPECT_TRUE(ends_with(done.out, counts(1, 1, 1)));
}

TEST(Replay, DrainedRowsAreReadButNotCounted) {
    folder f;
    f.write("r.jsonl", row + R"({"agent_ref":{"name":"env"},"_ng_dispatch_drained":true})"
                             "\n");
    const finished done = replay(f, {"r.jsonl"});
    EXPECT_EQ(done.out, "{\"points\":[" + completed("scored", 1) + "," + rewarded("full", 1) +
                            "]," + counts(2, 0, 1));
}

TEST(Replay, MoreSeriesThanTheUsualLimit) {
    folder f;
    std::string text;
    for (int i = 0; i < 3000; ++i)
        text += R"({"agent_ref":{"name":"env)" + std::to_string(i) + "\"}}\n";
    f.write("r.jsonl", text);
    const finished done = replay(f, {"r.jsonl"});
    EXPECT_EQ(done.out.find("overflow"), std::string::npos);
    EXPECT_NE(done.out.find("\"env2999\""), std::string::npos);
}

TEST(Replay, MemoryDoesNotGrowWithTheInput) {
    folder f;
    // 100 MB of one row, 50 of rows, 25 of brackets.
    constexpr int kibibytes = 100 << 10;
    const std::string x(1024, 'x');
    write_gzip(f.path("row.jsonl"), R"({"pad":")", x, kibibytes,
               R"(","agent_ref":{"name":"env"},"reward":1})"
               "\n");
    write_gzip(f.path("rows.jsonl"), "", row, (kibibytes << 9) / int(row.size()), "");
    write_gzip(f.path("deep.jsonl"), "{\"a\":", std::string(1024, '['), kibibytes / 4, "");
    const finished done = replay(f, {"row.jsonl", "rows.jsonl", "deep.jsonl"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err, "deep.jsonl:1: truncated\n");
#ifndef GYM_TELEMETRY_SANITIZED
    EXPECT_LE(done.peak_rss_kib, 64 << 10);
#endif
}

TEST(Replay, FollowsFilesAsTheyGrow) {
    folder f;
    f.write("r.jsonl", "");
    running tool(f, {"replay", "--no-health", "--json", "--follow", "r.jsonl"});
    ASSERT_TRUE(eventually([&] { return tool.position_in("r.jsonl") == 0; }));
    f.append("r.jsonl", row.substr(0, 10));
    ASSERT_TRUE(eventually([&] { return tool.position_in("r.jsonl") == 10; }));
    f.append("r.jsonl", row.substr(10));
    // The first failure makes the file.
    f.write("r_failures.jsonl", failed_row);
    ASSERT_TRUE(eventually(
        [&] { return tool.position_in("r_failures.jsonl") == (long long)failed_row.size(); }));
    f.append("r.jsonl", row + "{\"torn\":");
    tool.send(SIGINT);
    const finished done = tool.wait();
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err, "r.jsonl:3: truncated\n");
    EXPECT_TRUE(ends_with(done.out, counts(3, 1, 2))) << done.out;
}

TEST(Replay, FollowsAFileWhoseTornLineIsCutOff) {
    folder f;
    const std::string torn = row + "{\"torn\":";
    f.write("r.jsonl", torn);
    running tool(f, {"replay", "--no-health", "--json", "--follow", "r.jsonl"});
    ASSERT_TRUE(eventually([&] { return tool.position_in("r.jsonl") == (long long)torn.size(); }));
    // Longer than before at once, and then shorter.
    std::filesystem::resize_file(f.path("r.jsonl"), row.size());
    f.append("r.jsonl", row + "{\"torn again\"");
    ASSERT_TRUE(eventually(
        [&] { return tool.position_in("r.jsonl") == (long long)(2 * row.size() + 13); }));
    std::filesystem::resize_file(f.path("r.jsonl"), 2 * row.size());
    tool.send(SIGTERM);
    const finished done = tool.wait();
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(ends_with(done.out, counts(2, 0, 1))) << done.out;
}

TEST(Replay, FollowsAFileThatBeginsAnew) {
    folder f;
    f.write("r.jsonl", row + row);
    running tool(f, {"replay", "--no-health", "--json", "--follow", "r.jsonl"});
    const auto has_read = [&](std::size_t size) {
        return eventually([&] { return tool.position_in("r.jsonl") == (long long)size; });
    };
    ASSERT_TRUE(has_read(2 * row.size()));
    f.write("r.jsonl", row);  // truncated and written again
    ASSERT_TRUE(has_read(row.size()));
    std::filesystem::remove(f.path("r.jsonl"));
    f.write("r.jsonl", row + row + row);
    ASSERT_TRUE(has_read(3 * row.size()));
    tool.send(SIGINT);
    const finished done = tool.wait();
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_NE(done.out.find("\"rows\":6,"), std::string::npos) << done.out;
}

TEST(Replay, FollowingStandardInputEndsWithIt) {
    folder f;
    const finished done = run_gymtel(f, {"replay", "--json", "--follow", "/dev/null"});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_TRUE(ends_with(done.out, counts(0, 0, 1))) << done.out;
}

TEST(Replay, RealRolloutsForPeople) {
    folder f;
    std::vector<std::string> arguments = {"replay"};
    for (const auto& entry :
         std::filesystem::directory_iterator(GYM_TELEMETRY_SOURCE_DIR "/examples/rollouts"))
        if (entry.path().extension() == ".jsonl") arguments.push_back(entry.path().string());
    const finished done = run_gymtel(f, arguments);
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 5);
    EXPECT_TRUE(
        done.out.starts_with(" \xe2\x96\xb2 60 attempts: none failed; 45 % of 55 rewards are above "
                             "zero. 5 lines were\n"))
        << done.out;
    EXPECT_NE(
        done.out.find(
            " total                           60       60       0     335,047*      40,046*\n"),
        std::string::npos)
        << done.out;
    EXPECT_NE(
        done.out.find(
            " total                           16       14        3       13        9       5\n"),
        std::string::npos)
        << done.out;
    EXPECT_NE(done.out.find(" unhealthy, "), std::string::npos);
    EXPECT_EQ(done.out.find('\x1b'), std::string::npos);
}

TEST(Replay, WrongUsageNamesTheVerbAndWhereToRead) {
    folder f;
    f.write("r.jsonl", row);
    const auto said = [&f](const std::vector<std::string>& arguments) {
        return run_gymtel(f, arguments).err;
    };
    EXPECT_EQ(said({"replay"}),
              "gymtel replay: FILE is required\ngymtel replay --help says how it is used.\n");
    EXPECT_EQ(said({"rewind\x1b[31m"}),
              "gymtel: there is no verb 'rewind?[31m'\ngymtel --help says how it is used.\n");
    EXPECT_TRUE(said({"health", "--workers", "x", "r.jsonl"}).starts_with("gymtel health: "));
    EXPECT_TRUE(said({"--nope"}).starts_with("gymtel: "));
    // Alone, gymtel shows what it can do.
    EXPECT_NE(said({}).find("Verbs:"), std::string::npos);
}

TEST(Replay, AFullDiskIsAFailureThatSaysSo) {
    folder f;
    f.write("r.jsonl", row);
    for (const char* arguments :
         {"replay --json r.jsonl", "replay r.jsonl", "--help", "health -h", "--version"}) {
        const std::string command = "cd '" + f.path("").string() +
                                    "' && " GYM_TELEMETRY_BINARY_DIR "/bin/gymtel " + arguments +
                                    " > /dev/full 2> said";
        EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << arguments;
        EXPECT_EQ(f.read("said"), "gymtel: standard output: No space left on device\n");
    }
}

// What this process may open, and what it starts, until the end of the scope.
class few_descriptors {
public:
    few_descriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit few{32, before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &few);
    }
    ~few_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    few_descriptors(const few_descriptors&) = delete;
    few_descriptors& operator=(const few_descriptors&) = delete;

private:
    rlimit before_{};
};

class ManyFiles : public ::testing::Test {
protected:
    ManyFiles() {
        for (int i = 0; i < 100; ++i) names.push_back("r" + std::to_string(i) + ".jsonl");
        for (const std::string& name : names) f.write(name, row);
    }
    std::vector<std::string> tool(std::vector<std::string> words) const {
        words.insert(words.end(), names.begin(), names.end());
        return words;
    }

    folder f;
    std::vector<std::string> names;
};

TEST_F(ManyFiles, AreReadWithFewDescriptors) {
    const std::string command = "cd '" + f.path("").string() +
                                "' && ulimit -n 32 && " GYM_TELEMETRY_BINARY_DIR
                                "/bin/gymtel replay --json r*.jsonl > said";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
    EXPECT_TRUE(ends_with(f.read("said"), counts(100, 0, 100))) << f.read("said");
}

// Followed files are all held open, so here the soft limit gives way.
TEST_F(ManyFiles, AreFollowedBeyondTheSoftLimit) {
    std::optional<few_descriptors> few(std::in_place);
    running gymtel(f, tool({"replay", "--json", "--follow"}));
    few.reset();
    const auto all = static_cast<long long>(row.size());
    ASSERT_TRUE(eventually([&] { return gymtel.position_in(names.back()) == all; }));
    gymtel.send(SIGINT);
    const finished done = gymtel.wait();
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(ends_with(done.out, counts(100, 0, 100))) << done.out;
}

TEST(Replay, FileNamesCannotSteerTheTerminal) {
    folder f;
    const finished done = replay(f, {"a\x1b[31m\nb\xe2\x80\xae.jsonl"});
    EXPECT_EQ(done.err, "a?[31m?b?.jsonl: No such file or directory\n");
}

TEST(Replay, HelpFitsIntoEightyColumns) {
    folder f;
    for (const char* verb : {"replay", "health", "sandboxes", "emit"}) {
        std::istringstream help(run_gymtel(f, {verb, "--help"}).out);
        for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(Replay, HelpAndVersion) {
    folder f;
    const finished help = run_gymtel(f, {"--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("replay"), std::string::npos);
    const finished verb = run_gymtel(f, {"replay", "--help"});
    EXPECT_EQ(verb.exit_code, 0);
    EXPECT_NE(verb.out.find("--follow"), std::string::npos);
    const finished version = run_gymtel(f, {"--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_TRUE(version.out.starts_with("gymtel ")) << version.out;
}

}  // namespace
}  // namespace gymtel
