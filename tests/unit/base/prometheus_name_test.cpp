// SPDX-License-Identifier: Apache-2.0
#include "base/prometheus_name.hpp"

#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using kind = instrument_kind;
using labels = std::vector<std::pair<std::string, std::string>>;

std::string with(std::string_view name, std::string_view unit, kind of) {
    return prometheus_name(name, unit, of, prometheus_suffixes::unit_and_type);
}
std::string without(std::string_view name, std::string_view unit = "", kind of = kind::gauge) {
    return prometheus_name(name, unit, of, prometheus_suffixes::none);
}

TEST(PrometheusName, SuffixesAreUnitAndType) {
    EXPECT_EQ(with("gym.sandbox.startup_duration_ms", "ms", kind::histogram),
              "gym_sandbox_startup_duration_ms_milliseconds");
    EXPECT_EQ(with("gym.sandbox.started", "1", kind::counter), "gym_sandbox_started_total");
    EXPECT_EQ(with("gym.process.cpu", "s", kind::observable_counter),
              "gym_process_cpu_seconds_total");
    EXPECT_EQ(with("gym.host.memory", "By", kind::gauge), "gym_host_memory_bytes");
    EXPECT_EQ(with("throughput", "By/s", kind::gauge), "throughput_bytes_per_second");
    EXPECT_EQ(with("requests", "1/s", kind::counter), "requests_per_second_total");
    EXPECT_EQ(with("custom", "unit@with#special/chars", kind::gauge),
              "custom_unit_with_special_per_chars");
}

TEST(PrometheusName, NothingIsAddedTwice) {
    EXPECT_EQ(with("gym.rollout.completed_total", "1", kind::counter),
              "gym_rollout_completed_total");
    EXPECT_EQ(with("total.requests", "1", kind::counter), "requests_total");
    EXPECT_EQ(with("cpu_usage_ratio", "1", kind::gauge), "cpu_usage_ratio");
    EXPECT_EQ(with("response_time_seconds", "s", kind::gauge), "response_time_seconds");
}

TEST(PrometheusName, OnlyAGaugeOfUnitOneIsARatio) {
    EXPECT_EQ(with("gym.verify.success_rate", "1", kind::gauge), "gym_verify_success_rate_ratio");
    EXPECT_EQ(with("gym.verify.success_rate", "", kind::gauge), "gym_verify_success_rate");
    EXPECT_EQ(with("gym.sandbox.active", "1", kind::up_down_counter), "gym_sandbox_active");
}

TEST(PrometheusName, UnitsInBracesAddNothing) {
    EXPECT_EQ(with("gym.sandbox.active", "{sandbox}", kind::up_down_counter), "gym_sandbox_active");
    EXPECT_EQ(with("custom", "By/{thing}", kind::gauge), "custom_bytes");
    EXPECT_EQ(with("custom", "{thing}/s", kind::gauge), "custom_per_second");
}

TEST(PrometheusName, RunsOfInvalidCharactersBecomeOneUnderscore) {
    EXPECT_EQ(with("metric__with  \xc3\xa9 runs", "", kind::gauge), "metric_with_runs");
    EXPECT_EQ(without("metric@@##$$name"), "metric_name");
    EXPECT_EQ(without(".leading.and.trailing."), "leading_and_trailing");
    // Without suffixes an underscore is a character like any other.
    EXPECT_EQ(without("metric__name"), "metric__name");
    EXPECT_EQ(without("a:b"), "a:b");
}

TEST(PrometheusName, WithoutSuffixesTheUnitPlaysNoPart) {
    EXPECT_EQ(without("gym.sandbox.startup_duration_ms", "ms", kind::histogram),
              "gym_sandbox_startup_duration_ms");
    EXPECT_EQ(without("gym.sandbox.started", "1", kind::counter), "gym_sandbox_started");
}

TEST(PrometheusName, ALeadingDigitGetsAnUnderscore) {
    EXPECT_EQ(without("123metric"), "_123metric");
    EXPECT_EQ(with("123metric", "s", kind::gauge), "_123metric_seconds");
}

TEST(PrometheusName, NothingLeftIsEmpty) {
    EXPECT_EQ(without("@#$%"), "");
    EXPECT_EQ(without(""), "");
    EXPECT_EQ(with("@#$%", "", kind::gauge), "");
}

TEST(PrometheusLabelName, InvalidCharactersBecomeOneUnderscoreEach) {
    EXPECT_EQ(prometheus_label_name("nemo.gym.sandbox.provider"), "nemo_gym_sandbox_provider");
    EXPECT_EQ(prometheus_label_name("a..b:c"), "a__b_c");
    EXPECT_EQ(prometheus_label_name("\xc3\xa9t\xc3\xa9"), "key_t_");
}

TEST(PrometheusLabelName, StartIsMadeValid) {
    EXPECT_EQ(prometheus_label_name("0day"), "key_0day");
    EXPECT_EQ(prometheus_label_name("_private"), "key_private");
    EXPECT_EQ(prometheus_label_name("__reserved__"), "__reserved__");
}

TEST(PrometheusLabels, ValuesOfOneNameAreJoinedInTheOrderOfTheKeys) {
    const labels given = {{"a_b", "2"}, {"a.b", "1"}, {"z", "3"}};
    EXPECT_EQ(prometheus_labels(given), (labels{{"a_b", "1;2"}, {"z", "3"}}));
}

}  // namespace
}  // namespace gym::telemetry::detail
