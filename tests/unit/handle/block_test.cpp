// SPDX-License-Identifier: Apache-2.0
#include "handle/block.hpp"

#include "complaints.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;
using testing::SizeIs;

using entries = std::vector<std::pair<std::string, std::string>>;

options read(const entries& block) {
    const result<options> read = options_from_entries(block);
    EXPECT_TRUE(read);
    return *read;
}

TEST(Block, ReadsEveryKindOfValue) {
    const test::complaints heard;
    const options block = read({{"enabled", "true"},
                                {"service_name", R"("my \"gym\"")"},
                                {"cardinality_limit", "50"},
                                {"memory_profiling", R"({"enabled":true,"interval_seconds":2})"},
                                {"health_check_ignored_checks", R"(["a","b"])"},
                                {"run_id", R"("r1")"},
                                {"server_name", R"("math")"}});
    EXPECT_THAT(block.enabled, Optional(true));
    EXPECT_THAT(block.service_name, Optional(std::string("my \"gym\"")));
    EXPECT_EQ(block.cardinality_limit, 50);
    EXPECT_THAT(block.memory_profiling_enabled, Optional(true));
    EXPECT_EQ(block.memory_profiling_interval_seconds, 2.0);
    EXPECT_THAT(block.health_check_ignored_checks, Optional(ElementsAre("a", "b")));
    EXPECT_EQ(block.run_id, "r1");
    EXPECT_EQ(block.server_name, "math");
    EXPECT_THAT(heard.all(), IsEmpty());
}

TEST(Block, QuotesAndListsAreTakenAsTheyMean) {
    const test::complaints heard;
    const options block = read({{"enabled", R"("yes")"},
                                {"traces_enabled", "0"},
                                {"shutdown_timeout_ms", R"("250")"},
                                {"run_id", "12345"},
                                {"span_groups", R"(["rollout","sandbox"])"},
                                {"exporter", R"(["otlp","file"])"},
                                {"health_check_ignored_checks", R"("a, b")"}});
    EXPECT_THAT(block.enabled, Optional(true));
    EXPECT_THAT(block.traces_enabled, Optional(false));
    EXPECT_EQ(block.shutdown_timeout_ms, 250);
    EXPECT_EQ(block.run_id, "12345");
    EXPECT_EQ(block.span_groups, "rollout,sandbox");
    EXPECT_EQ(block.exporter, "otlp,file");
    EXPECT_THAT(block.health_check_ignored_checks, Optional(ElementsAre("a", "b")));
    EXPECT_THAT(heard.all(), IsEmpty());
}

TEST(Block, NullIsNotSet) {
    const options block =
        read({{"enabled", "null"}, {"run_id", "null"}, {"memory_profiling", "null"}});
    EXPECT_EQ(block.enabled, std::nullopt);
    EXPECT_EQ(block.run_id, std::nullopt);
    EXPECT_EQ(block.memory_profiling_enabled, std::nullopt);
}

TEST(Block, AWrongTypeIsOneComplaintAndLeavesTheDefault) {
    const entries wrong{{"cardinality_limit", R"("many")"},
                        {"service_name", "{}"},
                        {"file", "true"},
                        {"shutdown_timeout_ms", "1.5"},
                        {"memory_profiling", "3"},
                        {"health_check_ignored_checks", R"([["a"]])"}};
    for (const auto& entry : wrong) {
        const test::complaints heard;
        const options block = read({entry});
        EXPECT_THAT(heard.all(), SizeIs(1)) << entry.first;
        EXPECT_TRUE(heard.mentions({entry.first})) << entry.first;
        EXPECT_EQ(block.cardinality_limit, std::nullopt);
        EXPECT_EQ(block.service_name, std::nullopt);
        EXPECT_EQ(block.file, std::nullopt);
        EXPECT_EQ(block.shutdown_timeout_ms, std::nullopt);
        EXPECT_EQ(block.health_check_ignored_checks, std::nullopt);
    }
}

TEST(Block, ABooleanThatIsNoneReadsFalse) {
    const test::complaints heard;
    const options block = read({{"metrics_enabled", R"("maybe")"}, {"traces_enabled", "[]"}});
    EXPECT_THAT(block.metrics_enabled, Optional(false));
    EXPECT_THAT(block.traces_enabled, Optional(false));
    EXPECT_TRUE(heard.mentions({"metrics_enabled", "maybe", "false"}));
    EXPECT_THAT(heard.all(), SizeIs(2));
}

TEST(Block, UnknownKeysAreKeptAsTheyStand) {
    const test::complaints heard;
    const options block = read({{"some_future_knob", "7"},
                                {"nested", R"({"a": [1, 2]})"},
                                {"memory_profiling", R"({"depth":9})"}});
    EXPECT_THAT(block.extra,
                ElementsAre(Pair("some_future_knob", "7"), Pair("nested", R"({"a": [1, 2]})"),
                            Pair("memory_profiling.depth", "9")));
    EXPECT_THAT(heard.all(), IsEmpty());
}

TEST(Block, WhatIsNoJsonIsAnErrorThatNamesTheKey) {
    const result<options> read = options_from_entries(entries{{"enabled", "tru"}});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.failure().code, errc::invalid);
    EXPECT_THAT(read.failure().text, testing::HasSubstr("enabled: 'tru'"));
}

TEST(Block, HeadersAreNeverShown) {
    const test::complaints heard;
    read({{"otlp_headers", R"(["key=secret"])"}});
    EXPECT_THAT(heard.all(), SizeIs(1));
    EXPECT_FALSE(heard.mentions({"secret"}));
    const result<options> broken = options_from_entries(entries{{"otlp_headers", "key=secret"}});
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.failure().text, testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace gym::telemetry::detail
