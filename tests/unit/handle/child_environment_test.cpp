// SPDX-License-Identifier: Apache-2.0
#include "handle/child_environment.hpp"

#include "complaints.hpp"
#include "handle/configuration.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Pair;

// What a child finds: the parent's variables and those handed to it.
variable_map of_child(const settings& resolved, variable_map variables) {
    for (auto& [name, text] : child_environment_of(resolved, environment(variables))) {
        EXPECT_TRUE(variables.emplace(name, text).second) << name << " is set already";
    }
    return variables;
}

TEST(ChildEnvironment, NothingWhileOff) {
    const variable_map variables{{"NEMO_GYM_OTEL_RUN_ID", "r"}};
    const environment parent(variables);
    EXPECT_THAT(child_environment_of(resolve_settings({.enabled = false}, parent), parent),
                IsEmpty());
    const options no_exporter{.enabled = true, .exporter = "none_such"};
    EXPECT_THAT(child_environment_of(resolve_settings(no_exporter, parent), parent), IsEmpty());
}

TEST(ChildEnvironment, AChildWithoutABlockResolvesTheSame) {
    const test::complaints heard;
    const variable_map variables{{"NEMO_LENS_LOGS_ENABLED", "1"},
                                 {"NEMO_GYM_OTEL_SPAN_GROUPS", "all"},
                                 {"OTEL_METRIC_EXPORT_INTERVAL", "500"}};
    const options block{.enabled = true,
                        .service_name = "my-gym",
                        .server_name = "driver",
                        .span_groups = "rollout",
                        .traces_enabled = false,
                        .exporter = "otlp,file",
                        .otlp_endpoint = "http://collector:4318",
                        .otlp_headers = "k=v",
                        .memory_profiling_interval_seconds = 0.1,
                        .health_check_ignored_checks = {{"model_call_failed"}},
                        .cardinality_limit = 17,
                        .spool = "spool"};
    const settings parent = resolve_settings(block, environment(variables));
    const settings child = resolve_settings({}, environment(of_child(parent, variables)));
    EXPECT_TRUE(child.telemetry_on);
    EXPECT_EQ(child.service_name, "my-gym");
    EXPECT_EQ(child.server_name, "");
    EXPECT_EQ(child.span_groups, "all");
    EXPECT_TRUE(child.logs_enabled);
    EXPECT_FALSE(child.traces_enabled);
    EXPECT_EQ(child.exporters, parent.exporters);
    EXPECT_EQ(child.otlp_metrics.endpoint, "http://collector:4318/v1/metrics");
    EXPECT_EQ(child.otlp_headers, "k=v");
    EXPECT_EQ(child.memory_profiling_interval_seconds, 0.1);
    EXPECT_EQ(child.health_check_ignored_checks, parent.health_check_ignored_checks);
    EXPECT_EQ(child.cardinality_limit, 17);
    EXPECT_EQ(child.spool, "spool");
    EXPECT_EQ(child.export_interval_ms, 500);
    ASSERT_TRUE(parent.run_id.has_value());
    EXPECT_EQ(child.run_id, parent.run_id);
    EXPECT_THAT(heard.all(), IsEmpty());
}

TEST(ChildEnvironment, WhatIsSetWithEitherPrefixIsLeftAlone) {
    const variable_map variables{{"NEMO_LENS_ENABLED", "1"},
                                 {"NEMO_LENS_RUN_ID", "outer"},
                                 {"NEMO_GYM_OTEL_FILE", "x.jsonl"},
                                 {"OTEL_SERVICE_NAME", "by-hand"},
                                 {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://e"}};
    const environment parent(variables);
    const settings resolved = resolve_settings({}, parent);
    EXPECT_EQ(resolved.run_id, "outer");
    for (const auto& [name, text] : child_environment_of(resolved, parent)) {
        EXPECT_NE(name, "NEMO_GYM_OTEL_ENABLED");
        EXPECT_NE(name, "NEMO_GYM_OTEL_RUN_ID");
        EXPECT_NE(name, "NEMO_GYM_OTEL_FILE");
        EXPECT_FALSE(name.starts_with("OTEL_")) << name << '=' << text;
    }
}

TEST(ChildEnvironment, ABlankVariableIsFilled) {
    const environment parent({{"NEMO_GYM_OTEL_ENABLED", " "}});
    const settings resolved = resolve_settings({.enabled = true, .run_id = "r"}, parent);
    EXPECT_THAT(child_environment_of(resolved, parent),
                IsSupersetOf({Pair(std::string("NEMO_GYM_OTEL_ENABLED"), std::string("1")),
                              Pair(std::string("NEMO_GYM_OTEL_RUN_ID"), std::string("r"))}));
}

TEST(ChildEnvironment, OtlpIsHandedOnOnlyWhenTheBlockSetIt) {
    const settings resolved = resolve_settings({.enabled = true}, environment());
    for (const auto& one : child_environment_of(resolved, environment())) {
        EXPECT_FALSE(one.first.starts_with("OTEL_EXPORTER_")) << one.first;
    }
}

}  // namespace
}  // namespace gym::telemetry::detail
