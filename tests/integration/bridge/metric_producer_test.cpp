// SPDX-License-Identifier: Apache-2.0
//
// A MetricReader of the application's collects what we recorded.
#include "forked_child.hpp"
#include "otel_fixture.hpp"

#include <gym/telemetry/otel/metric_producer.hpp>
#include <gym/telemetry/telemetry.hpp>

#include <gmock/gmock.h>
#include <opentelemetry/exporters/memory/in_memory_metric_data.h>
#include <opentelemetry/exporters/memory/in_memory_metric_exporter_factory.h>
#include <opentelemetry/metrics/sync_instruments.h>
#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/metrics/export/periodic_exporting_metric_reader.h>
#include <opentelemetry/sdk/metrics/export/periodic_exporting_metric_reader_options.h>
#include <opentelemetry/sdk/resource/resource.h>

namespace gym::telemetry::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

class MetricProducerTest : public testing::Test {
protected:
    ~MetricProducerTest() override { shutdown(); }

    static void begin() {
        options block;
        block.ignore_environment = true;
        block.service_name = "collected-gym";
        ASSERT_TRUE(otel::init_collected(block).is_exporting());
    }
    seen_points collect() { return collect_from(ours); }

    complaints said;
    std::unique_ptr<otel_sdk::MetricProducer> producer = otel::make_metric_producer();
    test_reader ours;
};

TEST_F(MetricProducerTest, HasNothingBeforeInit) {
    ours.SetMetricProducer(producer.get());
    EXPECT_THAT(collect(), IsEmpty());
}

TEST_F(MetricProducerTest, ProducesEveryKind) {
    ours.SetMetricProducer(producer.get());
    begin();
    record_sandbox_active(2, "docker");
    record_sandbox_create_retry("docker");
    record_sandbox_startup(250, "docker");
    record_sandbox_startup(300, "docker");
    record_server_startup_stage(1, "load_config", "srv", {}, true);
    record_active_servers(4);
    register_http_connection_pool_connect_counter(
        [] { return std::map<std::string, std::int64_t>{{"model", 9}}; });

    seen_points seen = collect();
    using otel_sdk::InstrumentType;
    const seen_point& active = seen["gym.sandbox.active"].at(0);
    EXPECT_EQ(active.integer(), 2);
    EXPECT_EQ(active.attributes, "nemo.gym.sandbox.provider=docker");
    EXPECT_EQ(active.metric.instrument_descriptor.type_, InstrumentType::kUpDownCounter);
    EXPECT_EQ(active.metric.instrument_descriptor.unit_, "{sandbox}");
    EXPECT_FALSE(nostd::get<otel_sdk::SumPointData>(active.value).is_monotonic_);
    const seen_point& retries = seen["gym.sandbox.create_retry_total"].at(0);
    EXPECT_EQ(retries.integer(), 1);
    EXPECT_TRUE(nostd::get<otel_sdk::SumPointData>(retries.value).is_monotonic_);
    EXPECT_EQ(retries.metric.instrument_descriptor.description_,
              "Sandbox create attempts that a provider retried.");
    const seen_point& startup = seen["gym.sandbox.startup_duration_ms"].at(0);
    EXPECT_THAT(startup.histogram().boundaries_, ElementsAreArray(sandbox_duration_boundaries_ms));
    EXPECT_EQ(startup.histogram().count_, 2u);
    EXPECT_EQ(startup.histogram().counts_.front(), 1u);
    EXPECT_EQ(nostd::get<double>(startup.histogram().sum_), 550);
    EXPECT_EQ(nostd::get<double>(startup.histogram().min_), 250);
    EXPECT_EQ(seen["gym.server.startup_stage_duration_ms"].at(0).attributes,
              "nemo.gym.server.name=srv,nemo.gym.server.worker=true,"
              "nemo.gym.startup.stage=load_config");
    EXPECT_EQ(seen["gym.servers.active"].at(0).gauge(), 4);
    EXPECT_EQ(seen["gym.http.connection_pool.connect_total"].at(0).integer(), 9);
    EXPECT_LT(startup.metric.start_ts.time_since_epoch(), startup.metric.end_ts.time_since_epoch());
}

TEST_F(MetricProducerTest, SaysWhoseTheMetricsAre) {
    begin();
    record_sandbox_create_retry("docker");
    const auto result = producer->Produce();
    EXPECT_EQ(result.status_, otel_sdk::MetricProducer::Status::kSuccess);
    ASSERT_EQ(result.points_.scope_metric_data_.size(), 1u);
    EXPECT_EQ(result.points_.scope_metric_data_[0].scope_->GetName(), "gym.telemetry");
    const auto& attributes = result.points_.resource_->GetAttributes();
    EXPECT_EQ(nostd::get<std::string>(attributes.at("service.name")), "collected-gym");
    EXPECT_EQ(attributes.count("service.instance.id"), 1u);
    // The same for every producer of a generation.
    const auto other = otel::make_metric_producer();
    EXPECT_EQ(nostd::get<std::string>(
                  other->Produce().points_.resource_->GetAttributes().at("service.instance.id")),
              nostd::get<std::string>(attributes.at("service.instance.id")));
}

// What the issue asks for: an existing reader is never touched.
TEST_F(MetricProducerTest, TheApplicationsOwnMetricsSurvive) {
    const auto reader = std::make_shared<test_reader>();
    otel_sdk::MeterProvider provider;
    provider.AddMetricReader(reader);
    auto requests = provider.GetMeter("application")->CreateUInt64Counter("app.requests");
    ours.SetMetricProducer(producer.get());
    begin();
    for (int i = 1; i <= 3; ++i) {
        requests->Add(1);
        record_sandbox_create_retry("docker");
        seen_points theirs = collect_from(*reader);
        ASSERT_EQ(theirs.size(), 1u);
        EXPECT_EQ(theirs["app.requests"].at(0).integer(), i);
        seen_points mine = collect();
        EXPECT_EQ(mine["gym.sandbox.create_retry_total"].at(0).integer(), i);
        EXPECT_EQ(mine.count("app.requests"), 0u);
    }
    shutdown();
    requests->Add(1);
    EXPECT_FALSE(reader->IsShutdown());
    EXPECT_EQ(collect_from(*reader)["app.requests"].at(0).integer(), 4);
}

TEST_F(MetricProducerTest, FollowsTheGenerations) {
    ours.SetMetricProducer(producer.get());
    begin();
    record_sandbox_create_retry("docker");
    const auto before = collect()["gym.sandbox.create_retry_total"].at(0);
    record_sandbox_create_retry("docker");
    shutdown();
    EXPECT_EQ(collect()["gym.sandbox.create_retry_total"].at(0).integer(), 2);
    begin();
    EXPECT_EQ(collect().count("gym.sandbox.create_retry_total"), 0u);
    record_sandbox_create_retry("docker");
    const auto after = collect()["gym.sandbox.create_retry_total"].at(0);
    EXPECT_EQ(after.integer(), 1);
    EXPECT_GT(after.metric.start_ts.time_since_epoch(), before.metric.start_ts.time_since_epoch());
}

TEST_F(MetricProducerTest, DeltaIsOfTheInterval) {
    const auto deltas = otel::make_metric_producer(temporality::delta);
    ours.SetMetricProducer(deltas.get());
    begin();
    record_sandbox_create_retry("docker");
    record_sandbox_active(1, "docker");
    const auto first = collect();
    record_sandbox_create_retry("docker");
    record_sandbox_create_retry("docker");
    record_sandbox_active(1, "docker");
    seen_points seen = collect();
    const seen_point& retries = seen["gym.sandbox.create_retry_total"].at(0);
    EXPECT_EQ(retries.integer(), 2);
    EXPECT_EQ(retries.metric.aggregation_temporality, otel_sdk::AggregationTemporality::kDelta);
    EXPECT_EQ(retries.metric.start_ts.time_since_epoch(),
              first.at("gym.sandbox.create_retry_total").at(0).metric.end_ts.time_since_epoch());
    EXPECT_EQ(seen["gym.sandbox.active"].at(0).integer(), 2);
    EXPECT_EQ(seen["gym.sandbox.active"].at(0).metric.aggregation_temporality,
              otel_sdk::AggregationTemporality::kCumulative);
}

TEST_F(MetricProducerTest, WorksWithTheSdksPeriodicReader) {
    const auto data =
        std::make_shared<opentelemetry::exporter::memory::CircularBufferInMemoryMetricData>(16);
    otel_sdk::PeriodicExportingMetricReaderOptions often;
    often.export_interval_millis = std::chrono::milliseconds(50);
    often.export_timeout_millis = std::chrono::milliseconds(40);
    begin();
    record_sandbox_create_retry("docker");
    otel_sdk::PeriodicExportingMetricReader reader(
        opentelemetry::exporter::memory::InMemoryMetricExporterFactory::Create(data), often);
    reader.SetMetricProducer(producer.get());
    EXPECT_TRUE(reader.ForceFlush(std::chrono::seconds(5)));
    reader.Shutdown();
    bool found = false;
    for (auto batch = data->Get(); !batch.empty(); batch = data->Get())
        for (const auto& all : batch)
            for (const auto& scope : all->scope_metric_data_)
                for (const auto& metric : scope.metric_data_)
                    found |= metric.instrument_descriptor.name_ == "gym.sandbox.create_retry_total";
    EXPECT_TRUE(found);
}

TEST_F(MetricProducerTest, AForkedChildHasNothingOfItsParents) {
    ours.SetMetricProducer(producer.get());
    begin();
    record_sandbox_create_retry("docker");
    collect();
    const int wrong_in_child = in_forked_child([this] {
        int wrong = collect().empty() ? 0 : 1;
        record_sandbox_create_retry("modal");
        seen_points seen = collect();
        const auto& points = seen["gym.sandbox.create_retry_total"];
        if (points.size() != 1 || points[0].attributes != "nemo.gym.sandbox.provider=modal")
            wrong |= 2;
        return wrong;
    });
    EXPECT_EQ(wrong_in_child, 0);
    EXPECT_EQ(collect()["gym.sandbox.create_retry_total"].at(0).integer(), 1);
}

}  // namespace
}  // namespace gym::telemetry::test
