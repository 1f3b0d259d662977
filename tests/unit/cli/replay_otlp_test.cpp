// SPDX-License-Identifier: Apache-2.0
//
// gymtel replay --otlp against a fake collector, read back by libprotobuf.
#include "cli/replay_otlp.hpp"

#include "fake_collector.hpp"
#include "run_gymtel.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>

namespace gymtel {
namespace {

using gym::telemetry::test::fake_collector;
using metrics_request = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;

constexpr std::uint64_t ns_per_s = 1'000'000'000;

std::string row(double reward, const std::string& created_at) {
    return R"({"agent_ref":{"name":"env"},"reward":)" + std::to_string(reward) +
           R"(,"response":{"created_at":)" + created_at + "}}\n";
}

metrics_request parse(const std::string& body) {
    metrics_request request;
    EXPECT_TRUE(request.ParseFromString(body));
    return request;
}

std::string instance_in(const metrics_request& request) {
    for (const auto& attribute : request.resource_metrics(0).resource().attributes())
        if (attribute.key() == "service.instance.id") return attribute.value().string_value();
    return {};
}

const opentelemetry::proto::metrics::v1::NumberDataPoint& first_point(
    const metrics_request& request) {
    return request.resource_metrics(0).scope_metrics(0).metrics(0).sum().data_points(0);
}

std::int64_t completed_in(const metrics_request& request) {
    std::int64_t total = 0;
    for (const auto& metric : request.resource_metrics(0).scope_metrics(0).metrics())
        if (metric.name() == "gym.rollout.completed_total")
            for (const auto& point : metric.sum().data_points()) total += point.as_int();
    return total;
}

class ReplayOtlp : public ::testing::Test {
protected:
    finished replay(std::vector<std::string> files) {
        files.insert(files.begin(), {"replay", "--json", "--otlp", collector.url()});
        return run_gymtel(where, std::move(files));
    }

    folder where;
    fake_collector collector;
};

TEST_F(ReplayOtlp, SendsUnderTheTimesOfTheRows) {
    where.write("run.jsonl", row(1, "1700000100") + row(0, "1700000000.5") + row(0, "-5"));
    const finished done = replay({"run.jsonl"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    ASSERT_EQ(collector.requests().size(), 1u);
    EXPECT_EQ(collector.requests()[0].path, "/v1/metrics");
    const metrics_request request = parse(collector.requests()[0].body);
    EXPECT_EQ(completed_in(request), 3);
    EXPECT_EQ(first_point(request).start_time_unix_nano(), 1700000000 * ns_per_s + ns_per_s / 2);
    EXPECT_EQ(first_point(request).time_unix_nano(), 1700000100 * ns_per_s);
    EXPECT_NE(done.err.find(instance_in(request)), std::string::npos);
}

TEST_F(ReplayOtlp, TwoSendsHaveTheSameBytesWhateverTheNameOrTheCompression) {
    const std::string text = row(1, "1700000000") + row(0.5, "1700000001");
    where.write("run.jsonl", text);
    where.write("copy.jsonl", gzip(text));
    EXPECT_EQ(replay({"run.jsonl"}).exit_code, 0);
    EXPECT_EQ(replay({"run.jsonl"}).exit_code, 0);
    EXPECT_EQ(replay({"copy.jsonl"}).exit_code, 0);
    const auto requests = collector.requests();
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_EQ(requests[0].body, requests[1].body);
    EXPECT_EQ(requests[0].body, requests[2].body);
}

TEST_F(ReplayOtlp, TheInstanceFollowsTheContentsInAnyOrder) {
    where.write("a.jsonl", row(1, "1700000000"));
    where.write("b.jsonl", row(0, "1700000001"));
    replay({"a.jsonl", "b.jsonl"});
    replay({"b.jsonl", "a.jsonl"});
    replay({"a.jsonl"});
    const auto requests = collector.requests();
    ASSERT_EQ(requests.size(), 3u);
    EXPECT_EQ(instance_in(parse(requests[0].body)), instance_in(parse(requests[1].body)));
    EXPECT_NE(instance_in(parse(requests[0].body)), instance_in(parse(requests[2].body)));
}

TEST_F(ReplayOtlp, WithoutATimeInTheRowsTheFileHasOne) {
    where.write("run.jsonl", R"({"agent_ref":{"name":"env"},"reward":1})"
                             "\n");
    const timespec times[] = {{1600000000, 0}, {1600000000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, where.path("run.jsonl").c_str(), times, 0), 0);
    EXPECT_EQ(replay({"run.jsonl"}).exit_code, 0);
    const metrics_request request = parse(collector.requests().at(0).body);
    EXPECT_EQ(first_point(request).time_unix_nano(), 1600000000 * ns_per_s);
}

TEST_F(ReplayOtlp, AReceiverThatRefusesIsAFailureThatSaysSo) {
    collector.set_responses({{.status = 400}});
    where.write("run.jsonl", row(1, "1700000000"));
    const finished done = replay({"run.jsonl"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_NE(done.err.find("400"), std::string::npos) << done.err;
    EXPECT_NE(done.out.find("\"points\""), std::string::npos) << "what was read is shown anyhow";
}

TEST_F(ReplayOtlp, AUrlThatCannotBeUsedIsWrongUsage) {
    where.write("run.jsonl", row(1, "1700000000"));
    const finished done = run_gymtel(where, {"replay", "--otlp", "ftp://nowhere", "run.jsonl"});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.err.find("cannot be sent"), std::string::npos) << done.err;
}

TEST_F(ReplayOtlp, FollowKeepsSending) {
    where.write("run.jsonl", row(1, "1700000000"));
    running gymtel(where, {"replay", "--json", "--follow", "--otlp", collector.url(), "run.jsonl"});
    ASSERT_TRUE(collector.wait_for_requests(1));
    EXPECT_EQ(completed_in(parse(collector.requests()[0].body)), 1);
    where.append("run.jsonl", row(0, "1700000001"));
    ASSERT_TRUE(collector.wait_for_requests(2));
    EXPECT_EQ(completed_in(parse(collector.requests()[1].body)), 2);
    EXPECT_EQ(instance_in(parse(collector.requests()[0].body)),
              instance_in(parse(collector.requests()[1].body)));
    gymtel.send(SIGINT);
    EXPECT_EQ(gymtel.wait().exit_code, 0);
}

TEST(ContentHash, IsFnv1aOf128Bits) {
    content_hash hash;
    EXPECT_EQ(hash.text(), "6c62272e07bb014262b821756295c58d");
    hash.add("a");
    EXPECT_EQ(hash.text(), "d228cb696f1a8caf78912b704e4a8964");
}

}  // namespace
}  // namespace gymtel
