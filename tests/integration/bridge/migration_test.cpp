// SPDX-License-Identifier: Apache-2.0
//
// The blocks of docs/migration.md, which blocks.py writes to files of their own: before and after
// record the same.
#include "fake_collector.hpp"
#include "otel_fixture.hpp"

#include <gym/telemetry/lifecycle.hpp>

#include <cstdlib>

#include <gmock/gmock.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>

void sandbox_started(double ms);
void begin_adopted();
void adopted_sandbox_started(double ms);
std::unique_ptr<opentelemetry::sdk::metrics::MetricProducer> collect_by(
    opentelemetry::sdk::metrics::MetricReader& reader);
void begin_pushing();
void pushed_sandbox_started(double ms);
void end_pushing();
std::string scraped_after(double ms);

namespace gym::telemetry::test {
namespace {

class MigrationTest : public AdoptTest {
protected:
    ~MigrationTest() override {
        otel_api::Provider::SetMeterProvider({});
        ::unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    }
};

TEST_F(MigrationTest, AdoptedIsWhatWasRecordedBefore) {
    otel_api::Provider::SetMeterProvider(meters);
    sandbox_started(300);
    const auto before = collect()["gym.sandbox.startup_duration_ms"].at(0);
    begin_adopted();
    adopted_sandbox_started(300);
    seen_points seen = collect();
    ASSERT_EQ(seen["gym.sandbox.startup_duration_ms"].size(), 2u);  // a meter each
    for (const seen_point& after : seen["gym.sandbox.startup_duration_ms"]) {
        EXPECT_EQ(after.attributes, before.attributes);
        EXPECT_EQ(after.histogram().count_, 1u);
        EXPECT_EQ(after.metric.instrument_descriptor.unit_, "ms");
    }
}

TEST_F(MigrationTest, AReaderOfItsOwnCollects) {
    test_reader own;
    const auto producer = collect_by(own);
    adopted_sandbox_started(300);
    EXPECT_EQ(collect_from(own)["gym.sandbox.startup_duration_ms"].at(0).histogram().count_, 1u);
}

TEST_F(MigrationTest, PushedIsWhatWasScrapedBefore) {
    EXPECT_THAT(scraped_after(300), testing::HasSubstr("gym_sandbox_startup_duration_ms"));
    fake_collector collector;
    ::setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url().c_str(), 1);
    begin_pushing();
    pushed_sandbox_started(300);
    end_pushing();
    ASSERT_EQ(collector.requests().size(), 1u);
    EXPECT_EQ(collector.requests()[0].path, "/v1/metrics");
    EXPECT_THAT(collector.requests()[0].body,
                testing::HasSubstr("gym.sandbox.startup_duration_ms"));
}

}  // namespace
}  // namespace gym::telemetry::test
