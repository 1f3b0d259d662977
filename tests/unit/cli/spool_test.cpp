// SPDX-License-Identifier: Apache-2.0
#include "fake_collector.hpp"
#include "run_gymtel.hpp"

#include <gmock/gmock.h>

namespace gymtel {
namespace {

using gym::telemetry::test::fake_collector;
using testing::HasSubstr;

constexpr std::string_view metrics_line =
    R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m"}]}]}]})"
    "\n";
constexpr std::string_view spans_line =
    R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"s"}]}]}]})"
    "\n";

class SpoolVerb : public testing::Test {
protected:
    SpoolVerb() {
        std::filesystem::create_directory(where.path("spool"));
        where.write("spool/a.otlp.jsonl", std::string(metrics_line) + std::string(spans_line));
    }
    finished run() const { return run_gymtel(where, {"spool", "spool", "--otlp", to.url()}); }

    folder where;
    fake_collector to;
};

TEST_F(SpoolVerb, SendsAndRemoves) {
    const finished seen = run();
    EXPECT_EQ(seen.exit_code, 0) << seen.err;
    EXPECT_EQ(seen.out, "2 requests taken, 0 refused; 0 bytes wait\n");
    const auto requests = to.requests();
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].path, "/v1/metrics");
    EXPECT_EQ(requests[1].path, "/v1/traces");
    EXPECT_FALSE(std::filesystem::exists(where.path("spool/a.otlp.jsonl")));
    EXPECT_EQ(run().out, "0 requests taken, 0 refused; 0 bytes wait\n");
}

TEST_F(SpoolVerb, KeepsWhatIsNotAnswered) {
    ::setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "300", 1);
    to.set_responses({{.status = 200}, {.status = 503}});
    const finished seen = run();
    ::unsetenv("OTEL_EXPORTER_OTLP_TIMEOUT");
    EXPECT_EQ(seen.exit_code, 1);
    EXPECT_EQ(where.read("spool/a.otlp.jsonl"), spans_line);
    EXPECT_THAT(seen.out, HasSubstr("1 requests taken"));
}

TEST_F(SpoolVerb, WhatIsRefusedForGoodIsGone) {
    to.set_responses({{.status = 400}, {.status = 200}});
    EXPECT_EQ(run().exit_code, 3);
    EXPECT_FALSE(std::filesystem::exists(where.path("spool/a.otlp.jsonl")));
}

TEST_F(SpoolVerb, NeedsAFolder) {
    EXPECT_EQ(run_gymtel(where, {"spool"}).exit_code, 2);
    EXPECT_EQ(run_gymtel(where, {"spool", "nowhere"}).exit_code, 2);
    EXPECT_EQ(run_gymtel(where, {"spool", "spool", "--otlp", "no url"}).exit_code, 2);
}

}  // namespace
}  // namespace gymtel
