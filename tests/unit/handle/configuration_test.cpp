// SPDX-License-Identifier: Apache-2.0
#include "handle/configuration.hpp"

#include "complaints.hpp"
#include "handle/otlp_settings.hpp"

#include <cctype>
#include <cstdint>
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

class Configuration : public testing::Test {
protected:
    settings resolve(variable_map variables, options block = {}) const {
        if (!block.enabled) block.enabled = true;
        return resolve_settings(block, environment(std::move(variables)));
    }
    std::vector<std::string> heard() const { return complaints_.all(); }

    test::complaints complaints_;
};

TEST_F(Configuration, WithoutAnythingIsTheTableOfDefaults) {
    const settings resolved = resolve_settings({}, environment());
    EXPECT_FALSE(resolved.enabled);
    EXPECT_FALSE(resolved.telemetry_on);
    EXPECT_EQ(resolved.service_name, "nemo-gym");
    EXPECT_TRUE(resolved.service_name_per_server);
    EXPECT_EQ(resolved.span_groups, "default");
    EXPECT_TRUE(resolved.traces_enabled);
    EXPECT_TRUE(resolved.metrics_enabled);
    EXPECT_FALSE(resolved.logs_enabled);
    EXPECT_THAT(resolved.exporters, ElementsAre("otlp"));
    EXPECT_EQ(resolved.otlp_protocol, "http/protobuf");
    EXPECT_EQ(resolved.otlp_metrics.endpoint, "http://localhost:4318/v1/metrics");
    EXPECT_EQ(resolved.otlp_traces.endpoint, "http://localhost:4318/v1/traces");
    EXPECT_TRUE(resolved.instrument_aiohttp);
    EXPECT_EQ(resolved.run_id, std::nullopt);
    EXPECT_EQ(resolved.cardinality_limit, 2000);
    EXPECT_EQ(resolved.shutdown_timeout_ms, 5000);
    EXPECT_EQ(resolved.otlp_timeout_ms, 10000);
    EXPECT_EQ(resolved.export_interval_ms, 60000);
    EXPECT_EQ(resolved.file, "gym-telemetry.jsonl");
    EXPECT_EQ(resolved.spool, "");
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, OwnPrefixThenLensThenBlockThenDefault) {
    const options block{.span_groups = "agent"};
    EXPECT_EQ(
        resolve({{"NEMO_GYM_OTEL_SPAN_GROUPS", "verify"}, {"NEMO_LENS_SPAN_GROUPS", "all"}}, block)
            .span_groups,
        "verify");
    EXPECT_THAT(heard(), IsEmpty());
    EXPECT_EQ(resolve({{"NEMO_LENS_SPAN_GROUPS", "all"}}, block).span_groups, "all");
    EXPECT_EQ(resolve({}, block).span_groups, "agent");
    EXPECT_EQ(resolve({}).span_groups, "default");
}

TEST_F(Configuration, ABlankVariableIsAnUnsetOne) {
    const settings resolved = resolve(
        {{"NEMO_GYM_OTEL_SPAN_GROUPS", "  "}, {"NEMO_LENS_SPAN_GROUPS", ""}, {"SLURM_JOB_ID", " "}},
        {.span_groups = "agent"});
    EXPECT_EQ(resolved.span_groups, "agent");
    EXPECT_EQ(resolved.run_id, made_run_id());
}

TEST_F(Configuration, OneWarningNamesTheKeyThatLosesToLens) {
    resolve({{"NEMO_LENS_CARDINALITY_LIMIT", "10"}}, {.cardinality_limit = 20});
    ASSERT_THAT(heard(), testing::SizeIs(1));
    EXPECT_TRUE(
        complaints_.mentions({"cardinality_limit", "NEMO_LENS_CARDINALITY_LIMIT", "10", "20"}));
}

TEST_F(Configuration, TheSameValueByMeaningIsNoWarning) {
    resolve({{"NEMO_LENS_METRICS_ENABLED", "YES"},
             {"NEMO_LENS_LOGS_ENABLED", "off"},
             {"NEMO_LENS_CARDINALITY_LIMIT", "020"},
             {"NEMO_LENS_HEALTH_CHECK_IGNORED_CHECKS", "model_call_failed, agent_turn_hollow"},
             {"NEMO_LENS_EXPORTER", " memory "}},
            {.metrics_enabled = true,
             .logs_enabled = false,
             .exporter = "memory",
             .health_check_ignored_checks = {{"agent_turn_hollow", "model_call_failed"}},
             .cardinality_limit = 20});
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, ABooleanThatIsNoneReadsFalseAndSaysSo) {
    const settings resolved = resolve({{"NEMO_GYM_OTEL_METRICS_ENABLED", "enabled"}});
    EXPECT_FALSE(resolved.metrics_enabled);
    ASSERT_THAT(heard(), testing::SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"NEMO_GYM_OTEL_METRICS_ENABLED", "enabled", "false"}));
}

TEST_F(Configuration, NumbersThatCannotBeReadLeaveTheDefault) {
    for (const char* text : {"many", "-1", "1.5", "10s", "99999999999999999999"}) {
        const test::complaints heard_now;
        const settings resolved =
            resolve({{"NEMO_GYM_OTEL_CARDINALITY_LIMIT", text}}, {.cardinality_limit = 7});
        EXPECT_EQ(resolved.cardinality_limit, 2000) << text;
        EXPECT_EQ(heard_now.all().size(), 1) << text;
        EXPECT_TRUE(heard_now.mentions({"NEMO_GYM_OTEL_CARDINALITY_LIMIT", text, "2000"})) << text;
    }
}

TEST_F(Configuration, ANumberOfTheBlockOutOfRangeLeavesTheDefault) {
    EXPECT_EQ(resolve({}, {.shutdown_timeout_ms = -5}).shutdown_timeout_ms, 5000);
    EXPECT_TRUE(complaints_.mentions({"shutdown_timeout_ms", "-5", "5000"}));
    EXPECT_EQ(
        resolve({}, {.memory_profiling_interval_seconds = 0.0}).memory_profiling_interval_seconds,
        1.0);
    EXPECT_TRUE(complaints_.mentions({"memory_profiling.interval_seconds", "0", "1"}));
}

TEST_F(Configuration, EveryFurtherKeyHasItsVariable) {
    const settings resolved = resolve({{"NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED", "1"},
                                       {"NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS", "0.25"},
                                       {"NEMO_GYM_OTEL_SHUTDOWN_TIMEOUT_MS", "0"},
                                       {"NEMO_GYM_OTEL_CARDINALITY_LIMIT", "0"},
                                       {"NEMO_GYM_OTEL_FILE", "/tmp/a b.jsonl"},
                                       {"NEMO_LENS_SPOOL", "spool"},
                                       {"NEMO_GYM_OTEL_LEDGER", "ledger"},
                                       {"NEMO_GYM_OTEL_INSTRUMENT_AIOHTTP", "no"},
                                       {"NEMO_GYM_OTEL_TERMINATE_HANDLING", "on"},
                                       {"NEMO_GYM_OTEL_SIGNAL_HANDLING", "1"}});
    EXPECT_TRUE(resolved.memory_profiling_enabled);
    EXPECT_EQ(resolved.memory_profiling_interval_seconds, 0.25);
    EXPECT_EQ(resolved.shutdown_timeout_ms, 0);
    EXPECT_EQ(resolved.cardinality_limit, 0);
    EXPECT_EQ(resolved.file, "/tmp/a b.jsonl");
    EXPECT_EQ(resolved.spool, "spool");
    EXPECT_EQ(resolved.ledger, "ledger");
    EXPECT_FALSE(resolved.instrument_aiohttp);
    EXPECT_TRUE(resolved.terminate_handling);
    EXPECT_TRUE(resolved.signal_handling);
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, AListOfExportersKeepsTheKnownOnes) {
    const settings resolved =
        resolve({{"NEMO_GYM_OTEL_EXPORTER", "console, carrier_pigeon, FILE, owl, console"}});
    EXPECT_THAT(resolved.exporters, ElementsAre("console", "file"));
    EXPECT_TRUE(resolved.telemetry_on);
    ASSERT_THAT(heard(), testing::SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"NEMO_GYM_OTEL_EXPORTER", "carrier_pigeon", "owl"}));
}

TEST_F(Configuration, AnExporterListOfNothingIsOff) {
    EXPECT_FALSE(resolve({}, {.exporter = ","}).telemetry_on);
    EXPECT_TRUE(complaints_.mentions({"exporter", "stays off"}));
}

TEST_F(Configuration, UnknownChecksAreNamedOnceAndTheKnownOnesWork) {
    const settings resolved = resolve({{"NEMO_GYM_OTEL_HEALTH_CHECK_IGNORED_CHECKS",
                                        "model_call_failed, no_such_check ,model_call_failed"}});
    EXPECT_THAT(resolved.health_check_ignored_checks, ElementsAre("model_call_failed"));
    ASSERT_THAT(heard(), testing::SizeIs(1));
    EXPECT_TRUE(
        complaints_.mentions({"NEMO_GYM_OTEL_HEALTH_CHECK_IGNORED_CHECKS", "no_such_check"}));
}

TEST_F(Configuration, UnknownSpanGroupsAreNamedOnce) {
    const settings resolved = resolve({}, {.span_groups = "rollout,rolout,xyz"});
    EXPECT_EQ(resolved.span_groups, "rollout,rolout,xyz");
    ASSERT_THAT(heard(), testing::SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"span_groups", "rolout", "xyz"}));
}

TEST_F(Configuration, OffOnlyWhenNothingCanBeExported) {
    EXPECT_TRUE(resolve({}).telemetry_on);
    EXPECT_TRUE(resolve({{"OTEL_METRICS_EXPORTER", "none"}}).telemetry_on);
    EXPECT_FALSE(resolve({{"OTEL_METRICS_EXPORTER", "none"}}).metrics_enabled);
    EXPECT_FALSE(resolve({{"OTEL_TRACES_EXPORTER", "None"}}).traces_enabled);
    EXPECT_FALSE(resolve({}, {.traces_enabled = false, .metrics_enabled = false}).telemetry_on);
    EXPECT_FALSE(resolve({{"OTEL_SDK_DISABLED", "TRUE"}}).telemetry_on);
    EXPECT_TRUE(resolve({{"OTEL_SDK_DISABLED", "false"}}).telemetry_on);
    EXPECT_FALSE(resolve({}, {.enabled = false}).telemetry_on);
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, SdkDisabledIsTrueOnlyAsTheSpecificationSays) {
    EXPECT_TRUE(resolve({{"OTEL_SDK_DISABLED", "1"}}).telemetry_on);
    EXPECT_TRUE(complaints_.mentions({"OTEL_SDK_DISABLED", "'1'", "false"}));
}

TEST_F(Configuration, AnExporterThatIsChosenElsewhereIsSaidToHaveNoEffect) {
    EXPECT_TRUE(resolve({{"OTEL_METRICS_EXPORTER", "prometheus"}}).metrics_enabled);
    EXPECT_TRUE(complaints_.mentions({"OTEL_METRICS_EXPORTER", "prometheus"}));
    const test::complaints none;
    resolve({{"OTEL_METRICS_EXPORTER", "otlp"}});
    EXPECT_THAT(none.all(), IsEmpty());
}

TEST_F(Configuration, TheExportIntervalIsAboveZero) {
    EXPECT_EQ(resolve({{"OTEL_METRIC_EXPORT_INTERVAL", " 1500 "}}).export_interval_ms, 1500);
    EXPECT_THAT(heard(), IsEmpty());
    EXPECT_EQ(resolve({{"OTEL_METRIC_EXPORT_INTERVAL", "0"}}).export_interval_ms, 60000);
    EXPECT_TRUE(complaints_.mentions({"OTEL_METRIC_EXPORT_INTERVAL", "'0'", "60000"}));
}

TEST_F(Configuration, TemporalityIsReadInAnyCase) {
    constexpr const char* name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
    EXPECT_EQ(resolve({{name, "Delta"}}).temporality_preference, "delta");
    EXPECT_EQ(resolve({{name, "LowMemory"}}).temporality_preference, "lowmemory");
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, TheServiceIsTheServerOfAGroup) {
    const auto identity = [this](variable_map variables, options block) {
        return service_identity_of(resolve(std::move(variables), std::move(block)));
    };
    EXPECT_EQ(identity({}, {}).name, "nemo-gym");
    EXPECT_EQ(identity({}, {}).group, "");
    EXPECT_EQ(identity({}, {.server_name = "math"}).name, "nemo-gym/math");
    EXPECT_EQ(identity({}, {.server_name = "math"}).group, "nemo-gym");
    const variable_map by_hand{{"OTEL_SERVICE_NAME", "by-hand"}};
    EXPECT_EQ(identity(by_hand, {.service_name = "file", .server_name = "math"}).name,
              "by-hand/math");
    const options plain{.service_name_per_server = false, .server_name = "math"};
    EXPECT_EQ(identity(by_hand, plain).name, "by-hand");
    EXPECT_EQ(identity(by_hand, plain).group, "");
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, TheRunIdIsGivenOrTheJobsOrMade) {
    const options block{.run_id = "block"};
    EXPECT_EQ(resolve({{"NEMO_GYM_OTEL_RUN_ID", "own"}, {"NEMO_LENS_RUN_ID", "lens"}}).run_id,
              "own");
    EXPECT_EQ(resolve({{"NEMO_LENS_RUN_ID", "lens"}, {"SLURM_JOB_ID", "7"}}).run_id, "lens");
    EXPECT_EQ(resolve({{"SLURM_JOB_ID", "7"}}, block).run_id, "block");
    EXPECT_EQ(resolve({{"SLURM_JOB_ID", "7"}}).run_id, "7");
    const std::string made = resolve({}).run_id.value();
    EXPECT_THAT(made, testing::MatchesRegex("[0-9a-f]{12}"));
    EXPECT_NE(made, "000000000000");
    EXPECT_EQ(resolve({}).run_id, made);
    EXPECT_THAT(heard(), IsEmpty());
    resolve({{"NEMO_LENS_RUN_ID", "lens"}}, block);
    EXPECT_TRUE(complaints_.mentions({"run_id", "NEMO_LENS_RUN_ID"}));
}

TEST_F(Configuration, NoRunIdWhileOff) {
    EXPECT_EQ(resolve({{"NEMO_GYM_OTEL_RUN_ID", "own"}}, {.enabled = false}).run_id, std::nullopt);
    EXPECT_EQ(resolve({{"OTEL_SDK_DISABLED", "true"}}, {.run_id = "x"}).run_id, std::nullopt);
}

TEST_F(Configuration, MayIgnoreTheEnvironment) {
    const settings resolved = resolve({{"NEMO_GYM_OTEL_ENABLED", "0"},
                                       {"NEMO_GYM_OTEL_CARDINALITY_LIMIT", "x"},
                                       {"OTEL_SDK_DISABLED", "true"},
                                       {"SLURM_JOB_ID", "7"},
                                       {"OTEL_RESOURCE_ATTRIBUTES", "a=b"}},
                                      {.exporter = "memory", .ignore_environment = true});
    EXPECT_TRUE(resolved.telemetry_on);
    EXPECT_EQ(resolved.run_id, made_run_id());
    EXPECT_EQ(resolved.resource_attributes, "");
    EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(Configuration, WhatTheBlockSaysOfMemoryAndServerIsKept) {
    const settings resolved = resolve({{"OTEL_RESOURCE_ATTRIBUTES", "a=b,c=d"}},
                                      {.server_name = "s",
                                       .exporter = "memory",
                                       .extra = {{"knob", "7"}},
                                       .memory_readers = 3,
                                       .memory_temporality = temporality::delta});
    EXPECT_EQ(resolved.server_name, "s");
    EXPECT_EQ(resolved.memory_readers, 3);
    EXPECT_EQ(resolved.memory_temporality, temporality::delta);
    EXPECT_THAT(resolved.extra, ElementsAre(std::pair<std::string, std::string>("knob", "7")));
    EXPECT_EQ(resolved.resource_attributes, "a=b,c=d");
}

}  // namespace
}  // namespace gym::telemetry::detail
