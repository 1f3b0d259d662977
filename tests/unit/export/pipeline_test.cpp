// SPDX-License-Identifier: Apache-2.0
#include "export_fixture.hpp"

namespace gym::telemetry::detail {
namespace {

using counts = std::map<std::string, std::int64_t>;

class Pipeline : public ExportTest {};

TEST_F(Pipeline, FlushSendsWhatWasRecorded) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    count("a");
    count("a");
    count("b");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    const auto requests = collector.requests();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].method, "POST");
    EXPECT_EQ(requests[0].path, "/v1/metrics");
    EXPECT_EQ(requests[0].headers.at("content-type"), "application/x-protobuf");
    EXPECT_EQ(counts_in(requests[0].body), (counts{{"a", 2}, {"b", 1}}));
}

TEST_F(Pipeline, IntervalSendsWithoutBeingAsked) {
    fake_collector collector;
    send_to(collector);
    config.export_interval_ms = 1;
    const auto pipeline = start();
    count("a");
    ASSERT_TRUE(collector.wait_for_requests(3));
    EXPECT_EQ(counts_in(collector.requests().back().body), (counts{{"a", 1}}));
}

TEST_F(Pipeline, ShutdownSendsTheLastInterval) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    ASSERT_EQ(collector.requests().size(), 1u);
    EXPECT_EQ(counts_in(collector.requests()[0].body), (counts{{"a", 1}}));
}

TEST_F(Pipeline, ShutdownWithNothingRecordedIsSilent) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_EQ(collector.attempts(), 0u);
    EXPECT_TRUE(complaints.all().empty());
}

TEST_F(Pipeline, ShutdownSendsNothingWhenNothingChangedSinceTheLastAnswer) {
    fake_collector collector({{.status = 400}});
    send_to(collector);
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    // A self-metric does not count.
    engine::record(engine::test_row::dropped, engine::increment{}, std::string_view("x"),
                   std::string_view("y"));
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_EQ(collector.requests().size(), 1u);
}

TEST_F(Pipeline, ShutdownAgainTriesWhatWasNotAnswered) {
    fake_collector collector({{.status = 503, .retry_after = "3600"}, {.status = 200}});
    send_to(collector);
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_EQ(collector.requests().size(), 2u);
}

TEST_F(Pipeline, SecondShutdownGivesTheFirstResult) {
    fake_collector collector({{.status = 400}});
    send_to(collector);
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
}

TEST_F(Pipeline, DestructorSendsNothing) {
    fake_collector collector;
    send_to(collector);
    {
        const auto pipeline = start();
        count("a");
    }
    EXPECT_EQ(collector.attempts(), 0u);
}

struct seven : engine::observable {
    void call(engine::observer& to) override {
        const std::string_view value = "a";
        to.observe(&value, std::int64_t{7});
    }
};

// By preference: of a counter, a histogram, an observed counter and an up-down counter.
TEST_F(Pipeline, TemporalityIsAsPreferred) {
    using opentelemetry::proto::metrics::v1::AGGREGATION_TEMPORALITY_CUMULATIVE;
    using opentelemetry::proto::metrics::v1::AGGREGATION_TEMPORALITY_DELTA;
    constexpr int c = AGGREGATION_TEMPORALITY_CUMULATIVE;
    constexpr int d = AGGREGATION_TEMPORALITY_DELTA;
    const std::map<std::string, std::map<std::string, int>> expected = {
        {"cumulative", {{"counter", c}, {"histogram", c}, {"observed", c}, {"up_down", c}}},
        {"delta", {{"counter", d}, {"histogram", d}, {"observed", d}, {"up_down", c}}},
        {"lowmemory", {{"counter", d}, {"histogram", d}, {"observed", c}, {"up_down", c}}}};
    for (const auto& [preference, temporalities] : expected) {
        begin_anew();
        fake_collector collector;
        send_to(collector);
        config.temporality_preference = preference;
        source->observables().add(engine::test_row::observed, std::make_shared<seven>());
        const auto pipeline = start();
        count("a");
        add(1, "a");
        time(1, "a");
        ASSERT_TRUE(pipeline->flush(in(milliseconds(5000))));
        std::map<std::string, int> found;
        const metrics_request request = parse_metrics(collector.requests().back().body);
        for (const auto& metric : request.resource_metrics(0).scope_metrics(0).metrics()) {
            if (metric.has_histogram())
                found[metric.name()] = metric.histogram().aggregation_temporality();
            else if (metric.has_sum() && temporalities.contains(metric.name()))
                found[metric.name()] = metric.sum().aggregation_temporality();
        }
        EXPECT_EQ(found, temporalities) << preference;
    }
}

TEST_F(Pipeline, NoExporterIsNoPipeline) {
    config.exporters = {"nonsense"};
    EXPECT_EQ(start(), nullptr);
    config.exporters = {"otlp"};
    config.otlp_metrics.endpoint = "gopher://somewhere";
    EXPECT_EQ(start(), nullptr);
    EXPECT_TRUE(complaints.mentions({"otlp", "metrics"}));
}

}  // namespace
}  // namespace gym::telemetry::detail
