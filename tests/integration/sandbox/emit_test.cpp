// SPDX-License-Identifier: Apache-2.0
//
// A provider written in shell: gymtel emit as processes of its own, the receiver a real socket, and
// a running process of the run that takes the records along.
#include "fake_collector.hpp"
#include "otlp/json.hpp"
#include "shell_command.hpp"

#include <gym/telemetry/emitted.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include <gmock/gmock.h>

namespace gym::telemetry {
namespace {

using testing::HasSubstr;
using testing::Not;

class Emit : public testing::Test {
protected:
    Emit() {
        std::string name = testing::TempDir() + "emit-XXXXXX";
        folder = mkdtemp(name.data());
    }
    ~Emit() override {
        shutdown();
        std::filesystem::remove_all(folder);
    }

    test::answer emit(const std::string& arguments, const std::string& environment = "") const {
        const std::string command = "NEMO_GYM_OTEL_SPOOL=" + folder + " NEMO_GYM_OTEL_RUN_ID=r7 " +
                                    environment + ' ' +
                                    GYM_TELEMETRY_BINARY_DIR "/bin/gymtel emit " + arguments;
        return test::run_shell(command);
    }
    test::answer flush() const {
        return emit("--flush",
                    "NEMO_GYM_OTEL_ENABLED=1 NEMO_GYM_OTEL_SPAN_GROUPS=sandbox "
                    "OTEL_EXPORTER_OTLP_TIMEOUT=2000 OTEL_EXPORTER_OTLP_ENDPOINT=" +
                        collector.url());
    }
    options running_process() const {
        options block;
        block.enabled = true;
        block.span_groups = "all";
        block.otlp_endpoint = collector.url();
        block.run_id = "r7";
        block.spool = folder;
        block.emitted = "true";
        block.ignore_environment = true;
        return block;
    }

    struct received {
        std::string instance;
        std::string active;
        std::string start;
    };
    // What has arrived of the stream of emitted records.
    std::vector<received> streamed() const {
        std::vector<received> all;
        for (const auto& request : collector.requests()) {
            std::string text;
            EXPECT_TRUE(otlp::append_json(otlp::metrics_request_message, request.body, text));
            if (text.find("gym.sandbox.active") == text.npos) continue;
            EXPECT_THAT(text, Not(HasSubstr("process.pid")));
            all.push_back(
                {part(text, R"re("service.instance.id","value":\{"stringValue":"([^"]*)")re"),
                 part(text, R"re(gym.sandbox.active.*?"asInt":"(-?[0-9]+)")re"),
                 part(text, R"re("startTimeUnixNano":"([0-9]+)")re")});
        }
        return all;
    }
    static std::string part(const std::string& text, const char* pattern) {
        std::smatch found;
        return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
    }

    std::string folder;
    test::fake_collector collector;
};

TEST_F(Emit, FlushesContinueOneStream) {
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    EXPECT_EQ(emit("create-retry --provider sh").code, 0);
    const test::answer off = emit("--flush");
    EXPECT_EQ(off.code, 1);
    EXPECT_THAT(off.out, HasSubstr("NEMO_GYM_OTEL_ENABLED"));
    EXPECT_EQ(flush().code, 0);
    EXPECT_EQ(emit("sandbox-active --provider sh -1").code, 0);
    EXPECT_EQ(flush().code, 0);
    EXPECT_EQ(flush().code, 0);
    const auto seen = streamed();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0].active, "1");
    EXPECT_EQ(seen[1].active, "0");
    EXPECT_EQ(seen[2].active, "0");
    EXPECT_NE(seen[0].instance, "");
    for (const received& each : seen) {
        EXPECT_EQ(each.instance, seen[0].instance);
        EXPECT_EQ(each.start, seen[0].start);
    }
}

TEST_F(Emit, WhatDidNotArriveIsInTheNextFlush) {
    collector.set_responses({{.status = 400}, {.status = 200}});
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    EXPECT_EQ(flush().code, 1);
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    EXPECT_EQ(flush().code, 0);
    EXPECT_EQ(streamed().back().active, "2");
}

TEST_F(Emit, RunningProcessTakesThemAlongAtItsExports) {
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    EXPECT_EQ(flush().code, 0);
    init(running_process());
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    EXPECT_TRUE(gym::telemetry::flush());
    EXPECT_EQ(emit("sandbox-active --provider sh -1").code, 0);
    EXPECT_TRUE(shutdown());  // its last export, too
    EXPECT_EQ(emit("sandbox-active --provider sh -1").code, 0);
    EXPECT_EQ(flush().code, 0);
    const auto seen = streamed();
    ASSERT_EQ(seen.size(), 4u);
    const std::array expected = {"1", "2", "1", "0"};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(seen[i].active, expected[i]) << i;
        EXPECT_EQ(seen[i].instance, seen[0].instance);
        EXPECT_EQ(seen[i].start, seen[0].start);
    }
}

TEST_F(Emit, ShutdownWithoutNewsIsSilent) {
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    init(running_process());
    EXPECT_TRUE(gym::telemetry::flush());
    const std::size_t before = streamed().size();
    EXPECT_TRUE(shutdown());
    EXPECT_EQ(before, 1u);
    EXPECT_EQ(streamed().size(), before);
}

// The emitted stream has no deadline of its own.
TEST_F(Emit, ReceiverThatStallsHoldsNoShutdownBack) {
    collector.set_responses({{.silent = true}});
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    options block = running_process();
    block.shutdown_timeout_ms = 300;
    init(block);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(shutdown());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2000));
    collector.set_responses({{.status = 200}});
    EXPECT_EQ(flush().code, 0);
    EXPECT_EQ(streamed().back().active, "1");
}

TEST_F(Emit, SendsWithTheSettingsInForce) {
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    options block = running_process();
    block.emitted = "false";
    init(block);
    const emitted_records seen = send_emitted(folder + "/emitted-r7.records");
    EXPECT_TRUE(seen.sent);
    EXPECT_EQ(seen.recorded, 1);
    EXPECT_EQ(streamed().size(), 1u);
    EXPECT_TRUE(send_emitted(folder + "/none").sent);
    shutdown();
    EXPECT_FALSE(send_emitted(folder + "/emitted-r7.records").sent);  // off
}

TEST_F(Emit, DamagedLinesAreExitCodeThree) {
    EXPECT_EQ(emit("sandbox-active --provider sh +1").code, 0);
    std::system(("echo nonsense >> " + folder + "/emitted-r7.records").c_str());
    const test::answer seen = flush();
    EXPECT_EQ(seen.code, 3);
    EXPECT_THAT(seen.out, HasSubstr("1 lines"));
    EXPECT_EQ(streamed().back().active, "1");
}

}  // namespace
}  // namespace gym::telemetry
