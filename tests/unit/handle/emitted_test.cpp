// SPDX-License-Identifier: Apache-2.0
#include "emitted_fixture.hpp"

#include <gym/telemetry/emitted.hpp>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST_F(EmittedTest, LinesAreOneStream) {
    append("sandbox-active", "+1");
    append("sandbox-active", "+1");
    append("sandbox-active", "-1");
    append("sandbox-startup", "1250.5");
    append("sandbox-exec", "20");
    append("create-retry", "");
    struct stat about{};
    ASSERT_EQ(stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
    const request sent = next_request(stream);
    EXPECT_EQ(stream.recorded(), 6);
    EXPECT_EQ(stream.refused(), 0);
    EXPECT_EQ(sent.active, "1");
    EXPECT_THAT(sent.text, HasSubstr(R"("sum":1250.5)"));
    EXPECT_THAT(sent.text, HasSubstr(R"("sum":20)"));
    EXPECT_THAT(sent.text, HasSubstr("gym.sandbox.create_retry_total"));
    EXPECT_THAT(sent.text, Not(HasSubstr("gym.telemetry.series")));
}

// Whoever sends, it is the same stream: an up-down sum goes on where the last sender left it.
TEST_F(EmittedTest, AnotherSenderContinuesTheStream) {
    append("sandbox-active", "+1");
    const request first = next_request(stream);
    append("sandbox-active", "-1");
    settings other = config;
    other.server_name = "math";
    other.run_id = "another";
    detail::emitted_stream second(file, other);
    const request later = next_request(second);
    EXPECT_EQ(first.active, "1");
    EXPECT_EQ(later.active, "0");
    EXPECT_EQ(later.resource, first.resource);
    EXPECT_EQ(later.start, first.start);
    EXPECT_LT(first.time, later.time);
    EXPECT_LE(first.start, first.time);
    EXPECT_THAT(first.resource, HasSubstr(R"("stringValue":"run 7")"));
    EXPECT_THAT(first.resource, Not(HasSubstr("process.pid")));
    EXPECT_THAT(first.text, HasSubstr(R"("aggregationTemporality":2)"));
}

TEST_F(EmittedTest, WhatIsSentTwiceCountsOnce) {
    append("sandbox-active", "+1");
    EXPECT_EQ(next_request(stream, false).active, "1");
    EXPECT_EQ(next_request(stream).active, "1");
    EXPECT_EQ(next_request(stream).active, "1");
    append("sandbox-active", "+1");
    EXPECT_EQ(next_request(stream).active, "2");
}

TEST_F(EmittedTest, LastExportSendsOnlyNews) {
    append("create-retry", "");
    EXPECT_NE(stream.begin(true), "");
    stream.end(false);
    EXPECT_NE(stream.begin(true), "");
    stream.end(true);
    EXPECT_EQ(stream.begin(true), "");
    append("create-retry", "");
    EXPECT_NE(stream.begin(true), "");
    stream.end(true);
}

TEST_F(EmittedTest, ClockThatGoesBackIsNoMatter) {
    append("create-retry", "");
    const request first = next_request(stream);
    // Another process's clock, an hour behind.
    const std::int64_t now_ns = std::stoll(first.time);
    const detail::manual_clock clock(1, now_ns - 3'600'000'000'000);
    detail::emitted_stream second(file, config);
    EXPECT_EQ(next_request(second).time, std::to_string(now_ns + 1));
}

TEST_F(EmittedTest, DamagedLinesAreCountedAndLeaveTheOthers) {
    append("create-retry", "");
    write(
        "\nsandbox-startup x p\nsandbox-startup 5\nnonsense 1 p\nsandbox-active 1e30 p\n"
        "sandbox-startup -5 p\nsandbox-active +1 my pro");  // killed in the middle of it
    append("create-retry", "");
    EXPECT_THAT(next_request(stream).text, HasSubstr(R"("asInt":"2")"));
    EXPECT_EQ(stream.recorded(), 2);
    EXPECT_EQ(stream.refused(), 7);
    EXPECT_TRUE(said.mentions({"7 lines", file, "no records"}));
}

TEST_F(EmittedTest, LineThatIsNotAtItsEndWaits) {
    append("create-retry", "");
    write("create-retry 1 my provider");
    EXPECT_THAT(next_request(stream).text, HasSubstr(R"("asInt":"1")"));
    write("\n");
    EXPECT_THAT(next_request(stream).text, HasSubstr(R"("asInt":"2")"));
    EXPECT_EQ(stream.refused(), 0);
}

TEST_F(EmittedTest, FileOfSomebodyElsesHandGetsAnIdentity) {
    std::filesystem::create_directories(folder + "/run");
    write("create-retry 1 p\n");
    const request first = next_request(stream);
    detail::emitted_stream second(file, config);
    EXPECT_EQ(next_request(second).resource, first.resource);
}

TEST_F(EmittedTest, AnotherFileIsAnotherStream) {
    append("sandbox-active", "+1");
    const request first = next_request(stream);
    std::filesystem::remove(file);
    EXPECT_EQ(stream.begin(false), "");
    append("sandbox-active", "+1");
    const request second = next_request(stream);
    EXPECT_EQ(second.active, "1");
    EXPECT_NE(second.resource, first.resource);
}

TEST_F(EmittedTest, OneSendsAtATimeAlsoAcrossProcesses) {
    append("create-retry", "");
    detail::emitted_stream second(file, config);
    ASSERT_NE(stream.begin(false), "");
    EXPECT_EQ(second.begin(false), "");
    EXPECT_FALSE(second.is_claimed());
    const pid_t child = fork();
    if (child == 0) {
        detail::emitted_stream theirs(file, config);
        _exit(theirs.begin(false).empty() && !theirs.is_claimed() ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    stream.end(true);
    EXPECT_NE(second.begin(false), "");
    second.end(true);
}

// As record_sandbox_active takes them: several sandboxes may come or go at once.
TEST_F(EmittedTest, ActiveTakesAnyWholeDelta) {
    append("sandbox-active", "+8");
    append("sandbox-active", "-3");
    append("sandbox-active", "2");
    EXPECT_EQ(next_request(stream).active, "7");
}

TEST_F(EmittedTest, ValuesThatAreNoneAreRefused) {
    struct wrong {
        std::string_view kind, value, provider;
    };
    const std::array all = {
        wrong{"sandbox-startup", "-1", "p"}, wrong{"sandbox-startup", "nan", "p"},
        wrong{"sandbox-startup", "", "p"},   wrong{"sandbox-startup", "+5", "p"},
        wrong{"sandbox-startup", "5", ""},   wrong{"sandbox-startup", "5", "p\nq"},
        wrong{"sandbox-active", "0.5", "p"}, wrong{"sandbox-active", "1e30", "p"},
        wrong{"create-retry", "1", "p"},     wrong{"no-such-record", "1", "p"},
        wrong{"sandbox-active", "+-1", "p"}, wrong{"sandbox-active", "", "p"},
    };
    for (const wrong& each : all)
        EXPECT_FALSE(detail::make_emitted(each.kind, each.value, each.provider)) << each.value;
}

TEST_F(EmittedTest, WritersLoseNothingWhileOthersReadConcurrentSafe) {
    constexpr int writers = 4, lines = 200;
    append("create-retry", "");
    std::vector<std::thread> threads;
    std::atomic<int> running = writers;
    for (int i = 0; i < writers; ++i)
        threads.emplace_back([&] {
            for (int line = 0; line < lines; ++line) append("create-retry", "");
            --running;
        });
    while (running > 0) next_request(stream);
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(next_request(stream).text,
                HasSubstr(R"("asInt":")" + std::to_string(writers * lines + 1) + '"'));
    EXPECT_EQ(stream.recorded(), writers * lines + 1);
    EXPECT_EQ(stream.refused(), 0);
}

TEST_F(EmittedTest, GroupThatIsOffLeavesThemWaiting) {
    append("create-retry", "");
    config.span_groups = "default";
    config.emitted = file;
    EXPECT_EQ(detail::make_emitted_stream(config), nullptr);
    EXPECT_TRUE(said.mentions({"emitted records wait", "sandbox"}));
    config.span_groups = "default,sandbox";
    EXPECT_NE(detail::make_emitted_stream(config), nullptr);
    config.emitted = "false";
    EXPECT_EQ(detail::make_emitted_stream(config), nullptr);
}

TEST(EmittedFile, StandsInTheSpoolOrBelowTheState) {
    using detail::emitted_file_of, detail::environment;
    EXPECT_EQ(emitted_file_of(environment({{"NEMO_GYM_OTEL_SPOOL", "/spool"}, {"HOME", "/h"}})),
              "/spool/emitted.records");
    EXPECT_EQ(emitted_file_of(environment({{"HOME", "/h"}, {"NEMO_GYM_OTEL_RUN_ID", "a/b"}})),
              "/h/.local/state/gym-telemetry/emitted-a_b.records");
    EXPECT_EQ(emitted_file_of(environment({{"XDG_STATE_HOME", "/s"}, {"SLURM_JOB_ID", "7"}})),
              "/s/gym-telemetry/emitted-7.records");
    EXPECT_EQ(emitted_file_of(environment()), "");
}

TEST(EmittedFile, OfAProcessIsTheOneOfItsRun) {
    using detail::emitted_file_of, detail::environment;
    settings config;
    config.run_id = "a/b";
    EXPECT_EQ(emitted_file_of(config, environment({{"HOME", "/h"}})), "");
    config.emitted = "true";
    EXPECT_EQ(emitted_file_of(config, environment({{"HOME", "/h"}})),
              "/h/.local/state/gym-telemetry/emitted-a_b.records");
    config.spool = "/spool";
    EXPECT_EQ(emitted_file_of(config, environment()), "/spool/emitted-a_b.records");
    config.emitted = "/x.records";
    EXPECT_EQ(emitted_file_of(config, environment()), "/x.records");
}

TEST(EmittedFile, IdentityIsReadAsItWasWritten) {
    const detail::emitted_identity made{"i-1", 17, "host", "run 7"};
    std::string line = line_of(made);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    const auto read = detail::parse_identity(line);
    ASSERT_TRUE(read);
    EXPECT_EQ(line_of(*read), line_of(made));
    for (const std::string_view wrong :
         {"", "#stream", "#stream ", "#stream i", "#stream i 17", "#stream i 17 host",
          "#stream i 0 host ", "#stream i x host ", "#stream  17 host ", "stream i 17 host "})
        EXPECT_FALSE(detail::parse_identity(wrong)) << wrong;
}

}  // namespace
}  // namespace gym::telemetry::test
