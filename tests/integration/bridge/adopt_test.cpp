// SPDX-License-Identifier: Apache-2.0
//
// Recording into a meter provider that the application owns.
#include "failing_meter.hpp"
#include "forked_child.hpp"
#include "otel_fixture.hpp"

#include <gym/telemetry/telemetry.hpp>

#include <cmath>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>

namespace gym::telemetry::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

void adopt_or_fail(const nostd::shared_ptr<otel_api::MeterProvider>& meters, const options& block) {
    ASSERT_TRUE(otel::adopt(meters, {}, block).is_exporting());
}

TEST_F(AdoptTest, RecordsEveryKindIntoTheOwnersProvider) {
    adopt_or_fail(meters, block());
    record_sandbox_active(3, "docker");
    record_sandbox_active(-1, "docker");
    record_sandbox_create_retry("docker");
    record_sandbox_create_retry("docker");
    record_sandbox_startup(250, "docker");
    record_verify(10, true);
    record_verify(10, false);
    record_active_servers(7);

    seen_points seen = collect();
    ASSERT_EQ(seen["gym.sandbox.active"].size(), 1u);
    EXPECT_EQ(seen["gym.sandbox.active"][0].integer(), 2);
    EXPECT_EQ(seen["gym.sandbox.active"][0].attributes, "nemo.gym.sandbox.provider=docker");
    EXPECT_EQ(seen["gym.sandbox.active"][0].metric.instrument_descriptor.unit_, "{sandbox}");
    EXPECT_EQ(seen["gym.sandbox.active"][0].metric.instrument_descriptor.type_,
              otel_sdk::InstrumentType::kUpDownCounter);
    ASSERT_EQ(seen["gym.sandbox.create_retry_total"].size(), 1u);
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"][0].integer(), 2);
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"][0].metric.instrument_descriptor.description_,
              "Sandbox create attempts that a provider retried.");
    ASSERT_EQ(seen["gym.verify.success_rate"].size(), 1u);
    EXPECT_EQ(seen["gym.verify.success_rate"][0].gauge(), 0.5);
    ASSERT_EQ(seen["gym.servers.active"].size(), 1u);
    EXPECT_EQ(seen["gym.servers.active"][0].gauge(), 7);
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(AdoptTest, HistogramsHaveTheBoundariesOfTheApiPage) {
    adopt_or_fail(meters, block());
    record_sandbox_startup(250, "docker");
    record_sandbox_startup(1'000'000, "docker");
    record_server_startup_stage(1, "load_config", "srv", {}, true);
    record_http_connection_pool_queue_duration(3, "total", "ok", "model");
    record_server_request(5);

    seen_points seen = collect();
    const auto& startup = seen["gym.sandbox.startup_duration_ms"].at(0).histogram();
    EXPECT_THAT(startup.boundaries_, ElementsAreArray(sandbox_duration_boundaries_ms));
    EXPECT_EQ(startup.count_, 2u);
    EXPECT_EQ(startup.counts_.front(), 1u);  // 250 belongs to the bucket that ends at 250
    EXPECT_EQ(nostd::get<double>(startup.max_), 1'000'000);
    EXPECT_EQ(seen["gym.sandbox.startup_duration_ms"].size(), 1u);
    const auto& stage = seen["gym.server.startup_stage_duration_ms"].at(0);
    EXPECT_THAT(stage.histogram().boundaries_, ElementsAreArray(server_startup_boundaries_ms));
    EXPECT_EQ(stage.attributes,
              "nemo.gym.server.name=srv,nemo.gym.server.worker=true,"
              "nemo.gym.startup.stage=load_config");
    EXPECT_THAT(seen["gym.http.connection_pool.queue_duration_ms"].at(0).histogram().boundaries_,
                ElementsAreArray(http_connection_pool_queue_duration_boundaries_ms));
    EXPECT_THAT(seen["gym.server.request_duration_ms"].at(0).histogram().boundaries_,
                ElementsAreArray(server_startup_boundaries_ms));
}

TEST_F(AdoptTest, ViewsDoNotReachOtherMeters) {
    adopt_or_fail(meters, block());
    auto other = meters->GetMeter("application")
                     ->CreateDoubleHistogram("gym.sandbox.startup_duration_ms", "", "ms");
    other->Record(1, opentelemetry::context::Context{});
    seen_points seen = collect();
    ASSERT_EQ(seen["gym.sandbox.startup_duration_ms"].size(), 1u);
    EXPECT_EQ(seen["gym.sandbox.startup_duration_ms"][0].histogram().boundaries_.back(), 10000);
}

TEST_F(AdoptTest, FollowsTheRulesForValues) {
    adopt_or_fail(meters, block());
    record_rollout_completed("failed", "env",
                             {.failure_class = "two words", .failure_kind = "nobody:knows_it"});
    record_rollout_completed("new_outcome", "env");
    record_sandbox_startup(std::nan(""), "docker");
    record_sandbox_startup(-1, "docker");
    bind_sandbox_create_retry("docker").record();

    seen_points seen = collect();
    std::vector<std::string> completed;
    for (const seen_point& p : seen["gym.rollout.completed_total"])
        completed.push_back(p.attributes);
    EXPECT_THAT(completed,
                testing::UnorderedElementsAre(
                    "nemo.gym.failure_class=unregistered,"
                    "nemo.gym.failure_kind=nobody:knows_it,nemo.gym.rollout.dispatch.name=env,nemo."
                    "gym.rollout.outcome="
                    "failed",
                    "nemo.gym.rollout.dispatch.name=env,nemo.gym.rollout.outcome=new_outcome"));
    EXPECT_THAT(seen["gym.sandbox.startup_duration_ms"], IsEmpty());
    EXPECT_EQ(seen["gym.telemetry.dropped_total"].size(), 2u);
    ASSERT_EQ(seen["gym.telemetry.unknown_value_total"].size(), 1u);
    EXPECT_EQ(seen["gym.telemetry.unknown_value_total"][0].attributes,
              "attribute=nemo.gym.rollout.outcome");
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"].at(0).integer(), 1);
}

TEST_F(AdoptTest, ConnectCounterIsObserved) {
    adopt_or_fail(meters, block());
    EXPECT_EQ(collect().count("gym.http.connection_pool.connect_total"), 0u);
    bool fails = false;
    std::map<std::string, std::int64_t> counts{{"model", 4}, {"external", 1}};
    const auto owned = scoped_http_connection_pool_connect_counter([&] {
        record_active_servers(1);  // a callback may record
        if (fails) throw std::runtime_error("no snapshot");
        return counts;
    });
    seen_points seen = collect();
    ASSERT_EQ(seen["gym.http.connection_pool.connect_total"].size(), 2u);
    for (const seen_point& p : seen["gym.http.connection_pool.connect_total"])
        EXPECT_EQ(p.integer(), p.attributes.ends_with("=model") ? 4 : 1) << p.attributes;
    EXPECT_FALSE(scoped_http_connection_pool_connect_counter([&] { return counts; }));

    fails = true;
    collect();
    seen = collect();
    EXPECT_EQ(seen["gym.telemetry.dropped_total"].at(0).attributes,
              "instrument=gym.http.connection_pool.connect_total,reason=callback_failed");
    EXPECT_EQ(seen["gym.servers.active"].at(0).gauge(), 1);
}

TEST_F(AdoptTest, CallbacksEndWithTheGeneration) {
    adopt_or_fail(meters, block());
    int calls = 0;
    register_http_connection_pool_connect_counter([&] {
        ++calls;
        return std::map<std::string, std::int64_t>{{"model", 1}};
    });
    collect();
    EXPECT_EQ(calls, 1);
    shutdown();
    collect();
    EXPECT_EQ(calls, 1);
}

TEST_F(AdoptTest, ShutdownLeavesTheProviderAlone) {
    adopt_or_fail(meters, block());
    auto mine = meters->GetMeter("application")->CreateUInt64Counter("app.requests");
    record_sandbox_create_retry("docker");
    record_active_servers(2);
    EXPECT_TRUE(shutdown());
    EXPECT_FALSE(is_exporting());
    record_sandbox_create_retry("docker");  // nowhere
    mine->Add(5);
    seen_points seen = collect();
    EXPECT_FALSE(reader->IsShutdown());
    EXPECT_EQ(seen["app.requests"].at(0).integer(), 5);
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"].at(0).integer(), 1);
    EXPECT_EQ(seen["gym.servers.active"].at(0).gauge(), 2);
}

TEST_F(AdoptTest, AnotherGenerationGoesOnWithTheSameMeter) {
    for (int generation = 0; generation < 3; ++generation) {
        adopt_or_fail(meters, block());
        record_sandbox_create_retry("docker");
        record_sandbox_startup(1, "docker");
        shutdown();
    }
    seen_points seen = collect();
    ASSERT_EQ(seen["gym.sandbox.create_retry_total"].size(), 1u);
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"][0].integer(), 3);
    ASSERT_EQ(seen["gym.sandbox.startup_duration_ms"].size(), 1u);
    EXPECT_EQ(seen["gym.sandbox.startup_duration_ms"][0].histogram().count_, 3u);
}

TEST_F(AdoptTest, AnotherProviderGetsFreshInstruments) {
    adopt_or_fail(meters, block());
    record_sandbox_create_retry("docker");
    record_verify(1, false);
    shutdown();
    const auto second_reader = std::make_shared<test_reader>();
    const auto second = make_provider(second_reader);
    adopt_or_fail(second, block());
    record_sandbox_create_retry("docker");
    record_verify(1, true);
    seen_points seen = collect_from(*second_reader);
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"].at(0).integer(), 1);
    EXPECT_EQ(seen["gym.verify.success_rate"].at(0).gauge(), 1);
    EXPECT_EQ(collect()["gym.sandbox.create_retry_total"].at(0).integer(), 1);
}

TEST_F(AdoptTest, SecondCallChangesNothing) {
    adopt_or_fail(meters, block());
    const auto second_reader = std::make_shared<test_reader>();
    const auto second = make_provider(second_reader);
    EXPECT_EQ(&otel::adopt(second, {}, block()), &get_telemetry());
    EXPECT_EQ(&init({.enabled = true, .exporter = "memory"}), &get_telemetry());
    record_sandbox_create_retry("docker");
    EXPECT_THAT(collect_from(*second_reader), IsEmpty());
    EXPECT_EQ(collect()["gym.sandbox.create_retry_total"].at(0).integer(), 1);
}

TEST_F(AdoptTest, CanBeSwitchedOff) {
    options off = block();
    off.enabled = false;
    EXPECT_FALSE(otel::adopt(meters, {}, off).is_exporting());
    EXPECT_FALSE(otel::adopt({}, {}, block()).is_exporting());
    EXPECT_TRUE(said.mentions({"no provider"}));
    options no_metrics = block();
    no_metrics.metrics_enabled = false;
    otel::adopt(meters, {}, no_metrics);
    record_sandbox_create_retry("docker");
    EXPECT_THAT(collect(), IsEmpty());
}

TEST_F(AdoptTest, ThreadsShareInstruments) {
    adopt_or_fail(meters, block());
    constexpr int threads = 4, records = 2000;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([] {
            for (int i = 0; i < records; ++i) {
                record_sandbox_create_retry("docker");
                record_sandbox_startup(i, "docker");
                record_verify(1, true);
            }
        });
    for (int i = 0; i < 20; ++i) collect();
    for (std::thread& t : all) t.join();
    seen_points seen = collect();
    EXPECT_EQ(seen["gym.sandbox.create_retry_total"].at(0).integer(), threads * records);
    EXPECT_EQ(seen["gym.sandbox.startup_duration_ms"].at(0).histogram().count_,
              unsigned{threads * records});
    EXPECT_EQ(seen["gym.verify.success_rate"].at(0).gauge(), 1);
}

// A provider of the API alone, over the SDK's: what an application's wrapper looks like to us.
class wrapping_provider final : public otel_api::MeterProvider {
public:
    explicit wrapping_provider(nostd::shared_ptr<otel_api::MeterProvider> inner)
        : inner_(std::move(inner)) {}
    nostd::shared_ptr<otel_api::Meter> GetMeter(nostd::string_view name, nostd::string_view version,
                                                nostd::string_view schema) noexcept override {
        return inner_->GetMeter(name, version, schema);
    }

private:
    nostd::shared_ptr<otel_api::MeterProvider> inner_;
};

TEST_F(AdoptTest, AnApiProviderIsSaidToHaveBoundariesOfItsOwn) {
    const nostd::shared_ptr<otel_api::MeterProvider> wrapped(new wrapping_provider(meters));
    adopt_or_fail(wrapped, block());
    record_sandbox_startup(1, "docker");
    record_sandbox_exec_duration(1, "docker");
    ASSERT_EQ(said.all().size(), 1u);
    EXPECT_TRUE(said.mentions({"boundaries", "SDK"}));
    EXPECT_EQ(collect()["gym.sandbox.startup_duration_ms"].at(0).histogram().boundaries_.back(),
              10000);
}

TEST_F(AdoptTest, AnInstrumentThatCannotBeMadeLosesThatRecordOnly) {
    auto* const failing = new failing_meter(meters->GetMeter("inner"), 2);
    adopt_or_fail(nostd::shared_ptr<otel_api::MeterProvider>(new failing_provider(failing)),
                  block());
    for (int i = 0; i < 5; ++i) record_sandbox_create_retry("docker");
    EXPECT_EQ(failing->asked, 3);
    EXPECT_EQ(collect()["gym.sandbox.create_retry_total"].at(0).integer(), 3);

    shutdown();
    EXPECT_FALSE(
        otel::adopt(nostd::shared_ptr<otel_api::MeterProvider>(new failing_provider), {}, block())
            .is_exporting());
    EXPECT_TRUE(said.mentions({"no meter"}));
}

TEST_F(AdoptTest, TheOwnersProviderMayEndFirst) {
    adopt_or_fail(meters, block());
    record_sandbox_create_retry("docker");
    meters = meter_provider();
    reader.reset();
    record_sandbox_create_retry("docker");
    record_sandbox_startup(1, "docker");
    record_rollout_duration(1);  // made after the provider ended
    EXPECT_TRUE(shutdown());
}

// The owner's threads and locks are not there: nothing until the child adopts for itself.
TEST_F(AdoptTest, AForkedChildRecordsOnceItHasAdopted) {
    adopt_or_fail(meters, block());
    record_sandbox_create_retry("docker");
    const int wrong_in_child = in_forked_child([] {
        int wrong = is_exporting() ? 1 : 0;
        record_sandbox_create_retry("docker");
        const auto own_reader = std::make_shared<test_reader>();
        const auto own = make_provider(own_reader);
        otel::adopt(own, {}, block());
        record_sandbox_create_retry("docker");
        if (collect_from(*own_reader)["gym.sandbox.create_retry_total"].at(0).integer() != 1)
            wrong |= 2;
        return wrong;
    });
    EXPECT_EQ(wrong_in_child, 0);
    EXPECT_EQ(collect()["gym.sandbox.create_retry_total"].at(0).integer(), 1);
}

}  // namespace
}  // namespace gym::telemetry::test
