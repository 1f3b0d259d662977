// SPDX-License-Identifier: Apache-2.0
#include "health_rows.hpp"

#include <gym/telemetry/health.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace gym::telemetry::health {
namespace {

using tests::row_text;

// Value by "instrument attribute=value ...".
std::map<std::string, std::int64_t> recorded() {
    std::map<std::string, std::int64_t> values;
    for (const point& p : collect().points) {
        if (!p.instrument.starts_with("gym.rollout.health")) continue;
        std::string name = p.instrument.substr(p.instrument.rfind('.') + 1);
        for (const auto& [key, value] : p.attributes) name += " " + std::get<std::string>(value);
        values[name] = std::get<std::int64_t>(p.value);
    }
    return values;
}

class LiveHealth : public testing::Test {
protected:
    ~LiveHealth() override { shutdown(); }
    static void start(std::vector<std::string> ignored, const char* span_groups = "rollout") {
        options block;
        block.enabled = true;
        block.exporter = "memory";
        block.span_groups = span_groups;
        block.health_check_ignored_checks = std::move(ignored);
        init(block);
    }
};

TEST_F(LiveHealth, CountsVerdictsAndFlaggedChecks) {
    start({});
    record_row_health(row_text(), "scored");
    record_row_health(row_text(), "scored");
    record_row_health(row_text({.status = "500"}), "failed");
    record_row_health(R"({"reward":1.0})", "scored");
    record_row_health("[]", "scored");
    record_row_health("{", "scored");
    record_row_health(row_text(), "omitted");
    EXPECT_EQ(recorded(),
              (std::map<std::string, std::int64_t>{
                  {"health_verdict_total healthy scored", 2},
                  {"health_verdict_total unhealthy failed", 1},
                  {"health_verdict_total unobserved scored", 1},
                  {"health_flagged_total model_call_failed failed", 1},
                  {"health_flagged_total rollout_ended_on_failed_model_call failed", 1}}));
}

TEST_F(LiveHealth, IgnoresTheConfiguredChecksOfEachGeneration) {
    const std::string row = row_text({.tokens_out = "0"});
    start({"model_call_zero_completion_tokens"});
    record_row_health(row, "scored");
    EXPECT_EQ(recorded().count("health_verdict_total healthy scored"), 1U);
    shutdown();
    start({});
    record_row_health(row, "scored");
    EXPECT_EQ(recorded().count("health_verdict_total unhealthy scored"), 1U);
}

TEST_F(LiveHealth, IsSilentWithoutTheGroup) {
    start({}, "job");
    record_row_health(row_text(), "scored");
    EXPECT_TRUE(recorded().empty());
}

TEST(LiveHealthOff, RecordsNothingBeforeInit) {
    record_row_health(row_text(), "scored");
    EXPECT_TRUE(collect().points.empty());
}

}  // namespace
}  // namespace gym::telemetry::health
