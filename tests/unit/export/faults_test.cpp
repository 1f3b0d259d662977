// SPDX-License-Identifier: Apache-2.0
//
// Receivers that misbehave, over real sockets.
#include "export_fixture.hpp"

#include <ctime>
#include <fstream>
#include <set>
#include <sstream>

namespace gym::telemetry::detail {
namespace {

using counts = std::map<std::string, std::int64_t>;
using std::chrono::steady_clock;

milliseconds since(steady_clock::time_point begin) {
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin);
}

// What self-metrics were told.
std::vector<std::string>& told() {
    static std::vector<std::string> instance;
    return instance;
}

class Faults : public ExportTest {
protected:
    Faults() {
        told().clear();
        self.exported = [](std::string_view exporter, std::string_view outcome, double duration_ms,
                           std::int64_t rejected, double) noexcept {
            EXPECT_GE(duration_ms, 0);
            told().push_back(std::string(exporter) + " " + std::string(outcome) + " " +
                             std::to_string(rejected));
        };
    }

    // Records five, flushes, and says whether that went well.
    bool flush_five(pipeline& by, milliseconds timeout = milliseconds(8000)) {
        for (int i = 0; i < 5; ++i) count("a");
        return by.flush(in(timeout));
    }
};

class FaultsRetried : public Faults, public ::testing::WithParamInterface<fake_response> {};

TEST_P(FaultsRetried, ComesBackAndLosesNothing) {
    fake_collector collector({GetParam(), {.status = 200}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    EXPECT_EQ(collector.attempts(), 2u);
    EXPECT_EQ(counts_in(collector.requests().back().body), (counts{{"a", 5}}));
    EXPECT_TRUE(complaints.all().empty()) << "what ends well is no complaint";
    EXPECT_EQ(told(), std::vector<std::string>{"otlp ok 0"});
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultsRetried,
    ::testing::Values(fake_response{.status = 429}, fake_response{.status = 502},
                      fake_response{.status = 503}, fake_response{.status = 504},
                      fake_response{.status = 503, .retry_after = "soon"},
                      fake_response{.status = 503, .retry_after = "-5"},
                      fake_response{.status = 503, .retry_after = "0"},
                      fake_response{.status = 503, .body = "\xff\xff"}, fake_response{.cut = true},
                      fake_response{.garbage = true}, fake_response{.reset_after_bytes = 0},
                      fake_response{.reset_after_bytes = 10}));

class FaultsFinal : public Faults, public ::testing::WithParamInterface<int> {};

TEST_P(FaultsFinal, EndsTheRequestAndIsReportedOnce) {
    fake_collector elsewhere;
    fake_collector collector(
        {{.status = GetParam(), .headers = {{"Location", elsewhere.url() + "/v1/metrics"}}}});
    send_to(collector);
    config.otlp_metrics.headers = "authorization=secret";
    const auto pipeline = start();
    EXPECT_FALSE(flush_five(*pipeline));
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000)))) << "nothing changed: nothing to send";
    EXPECT_EQ(collector.attempts(), 1u);
    EXPECT_EQ(elsewhere.attempts(), 0u);
    EXPECT_EQ(complaints.all().size(), 1u);
    EXPECT_TRUE(complaints.mentions({"otlp", "metrics", std::to_string(GetParam())}));
    EXPECT_FALSE(complaints.mentions({"secret"}));
    EXPECT_EQ(told(), std::vector<std::string>{"otlp rejected 0"});
}

INSTANTIATE_TEST_SUITE_P(All, FaultsFinal,
                         ::testing::Values(301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 408,
                                           413, 415, 422, 500, 501, 505));

class FaultsTaken : public Faults, public ::testing::WithParamInterface<fake_response> {};

TEST_P(FaultsTaken, TheStatusDecides) {
    fake_collector collector({GetParam()});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    EXPECT_EQ(collector.attempts(), 1u);
    EXPECT_TRUE(complaints.all().empty());
    EXPECT_EQ(told(), std::vector<std::string>{"otlp ok 0"});
}

INSTANTIATE_TEST_SUITE_P(All, FaultsTaken,
                         ::testing::Values(fake_response{.body = "\xff\xff not protobuf"},
                                           fake_response{.body = "{}"},
                                           fake_response{.status = 202},
                                           fake_response{.status = 204},
                                           fake_response{.endless_body = true},
                                           fake_response{.body = std::string(200000, 'x')},
                                           fake_response{.body = "\x0a", .stalling_body = true}));

TEST_F(Faults, RetryAfterInSecondsIsHonoured) {
    fake_collector collector({{.status = 429, .retry_after = "1"}, {.status = 200}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    const auto requests = collector.requests();
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_GE(requests[1].arrived - requests[0].answered_at, milliseconds(1000));
}

TEST_F(Faults, RetryAfterAsADateIsHonoured) {
    const std::time_t at = std::time(nullptr) + 2;
    std::tm parts{};
    char date[64];
    std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", ::gmtime_r(&at, &parts));
    fake_collector collector({{.status = 503, .retry_after = date}, {.status = 200}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    EXPECT_GE(std::time(nullptr), at);
    EXPECT_EQ(collector.attempts(), 2u);
}

TEST_F(Faults, RetryAfterBeyondTheDeadlineGivesUpAtOnce) {
    for (const char* wish : {"86400", "99999999999999999999999", "Fri, 31 Dec 2199 23:59:59 GMT"}) {
        fake_collector collector({{.status = 429, .retry_after = wish}});
        send_to(collector);
        const auto pipeline = start();
        const auto begin = steady_clock::now();
        EXPECT_FALSE(flush_five(*pipeline)) << wish;
        EXPECT_LT(since(begin), milliseconds(2000)) << wish;
        EXPECT_EQ(collector.attempts(), 1u) << wish;
    }
}

TEST_F(Faults, SilenceEndsAtTheDeadline) {
    fake_collector collector({{.silent = true}});
    send_to(collector);
    const auto pipeline = start();
    const auto begin = steady_clock::now();
    EXPECT_FALSE(flush_five(*pipeline, milliseconds(300)));
    EXPECT_LT(since(begin), milliseconds(1500));
    ASSERT_TRUE(collector.wait_for_attempts(1));
    const auto before_shutdown = steady_clock::now();
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(300))));
    EXPECT_LT(since(before_shutdown), milliseconds(1500));
}

TEST_F(Faults, TheConfiguredTimeoutIsADeadlineToo) {
    fake_collector collector({{.silent = true}});
    send_to(collector);
    config.otlp_metrics.timeout_ms = 200;
    config.otlp_traces.timeout_ms = 200;
    const auto pipeline = start();
    const auto begin = steady_clock::now();
    EXPECT_FALSE(flush_five(*pipeline));
    EXPECT_LT(since(begin), milliseconds(2000));
}

TEST_F(Faults, ShutdownInterruptsAnExportThatStalls) {
    fake_collector collector({{.silent = true}});
    send_to(collector);
    config.export_interval_ms = 1;
    const auto pipeline = start();
    count("a");
    ASSERT_TRUE(collector.wait_for_attempts(1));
    const auto begin = steady_clock::now();
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(200))));
    EXPECT_LT(since(begin), milliseconds(1500));
}

TEST_F(Faults, ShutdownInterruptsAPause) {
    fake_collector collector({{.status = 503}, {.status = 503}, {.status = 503}, {.status = 200}});
    send_to(collector);
    config.export_interval_ms = 1;
    const auto pipeline = start();
    count("a");
    ASSERT_TRUE(collector.wait_for_attempts(2));
    const auto begin = steady_clock::now();
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_LT(since(begin), milliseconds(2500));
    EXPECT_EQ(counts_in(collector.requests().back().body), (counts{{"a", 1}}));
}

TEST_F(Faults, RefusedTwiceWhileShuttingDownIsEnough) {
    fake_collector collector;
    send_to(collector);
    collector.close_port();
    const auto pipeline = start();
    count("a");
    const auto begin = steady_clock::now();
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(30000))));
    EXPECT_LT(since(begin), milliseconds(3000));
    EXPECT_EQ(complaints.all().size(), 1u);
}

// So many attempts to connect have failed on this machine, as the kernel counts them.
long long failed_connections() {
    std::ifstream counters("/proc/net/snmp");
    std::string names;
    for (std::string line; std::getline(counters, line); names = line) {
        if (!line.starts_with("Tcp:") || !names.starts_with("Tcp:")) continue;
        std::istringstream keys(names);
        std::istringstream values(line);
        for (std::string key, value; keys >> key && values >> value;)
            if (key == "AttemptFails") return std::stoll(value);
    }
    return 0;
}

TEST_F(Faults, FlushWaitsForAReceiverThatComesUp) {
    fake_collector collector;
    send_to(collector);
    collector.close_port();
    const auto pipeline = start();
    count("a");
    // Of all processes, so another one's may come first: then the receiver is only up earlier.
    const long long before = failed_connections();
    std::thread later([&] {
        while (failed_connections() < before + 2) std::this_thread::sleep_for(milliseconds(1));
        collector.open_port();
    });
    EXPECT_TRUE(pipeline->flush(in(milliseconds(10000))));
    later.join();
    EXPECT_EQ(counts_in(collector.requests().back().body), (counts{{"a", 1}}));
}

TEST_F(Faults, PartialSuccessIsTakenAndTheRejectedPointsAreReported) {
    metrics_response answer;
    answer.mutable_partial_success()->set_rejected_data_points(3);
    answer.mutable_partial_success()->set_error_message("too old\n\x01");
    fake_collector collector({{.body = answer.SerializeAsString()}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    EXPECT_EQ(collector.attempts(), 1u);
    EXPECT_EQ(told(), std::vector<std::string>{"otlp partial 3"});
    EXPECT_EQ(complaints.all().size(), 1u);
    EXPECT_TRUE(complaints.mentions({"3", "too old  "}));
}

TEST_F(Faults, PartialSuccessWithoutRejectedPointsIsAWarning) {
    metrics_response answer;
    answer.mutable_partial_success()->set_error_message("please upgrade");
    fake_collector collector({{.body = answer.SerializeAsString()}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    EXPECT_EQ(told(), std::vector<std::string>{"otlp ok 0"});
    EXPECT_EQ(complaints.all().size(), 1u);
    EXPECT_TRUE(complaints.mentions({"please upgrade"}));
}

TEST_F(Faults, NegativeRejectedPointsAreNone) {
    metrics_response answer;
    answer.mutable_partial_success()->set_rejected_data_points(-3);
    fake_collector collector({{.body = answer.SerializeAsString()}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    EXPECT_EQ(told(), std::vector<std::string>{"otlp ok 0"});
}

// Delta: a batch that was sent is frozen.

std::vector<std::string> bodies(const fake_collector& collector) {
    std::vector<std::string> result;
    for (const auto& request : collector.requests()) result.push_back(request.body);
    return result;
}

TEST_F(Faults, DeltaRetriesTheSameBytesAndSendsTheRestAfterwards) {
    fake_collector collector({{.cut = true}, {.cut = true}, {.status = 200}});
    send_to(collector);
    config.temporality_preference = "delta";
    const auto pipeline = start();
    EXPECT_TRUE(flush_five(*pipeline));
    count("a");
    count("b");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(8000))));
    const auto sent = bodies(collector);
    ASSERT_EQ(sent.size(), 4u);
    EXPECT_EQ(sent[0], sent[1]);
    EXPECT_EQ(sent[1], sent[2]);
    EXPECT_EQ(counts_in(sent[2]), (counts{{"a", 5}}));
    EXPECT_EQ(counts_in(sent[3]), (counts{{"a", 1}, {"b", 1}}));
}

TEST_F(Faults, DeltaKeepsAFrozenBatchOverSeveralExports) {
    fake_collector collector({{.status = 503, .retry_after = "3600"},
                              {.status = 503, .retry_after = "3600"},
                              {.status = 200}});
    send_to(collector);
    config.temporality_preference = "delta";
    const auto pipeline = start();
    EXPECT_FALSE(flush_five(*pipeline));
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(8000))));
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(8000))));
    const auto sent = bodies(collector);
    ASSERT_EQ(sent.size(), 4u);
    EXPECT_EQ(sent[0], sent[1]);
    EXPECT_EQ(sent[0], sent[2]);
    EXPECT_EQ(counts_in(sent[2]), (counts{{"a", 5}}));
    EXPECT_EQ(counts_in(sent[3]), (counts{{"a", 2}}));
}

TEST_F(Faults, DeltaDropsABatchThatWasRejectedForGood) {
    fake_collector collector({{.status = 400}, {.status = 200}});
    send_to(collector);
    config.temporality_preference = "delta";
    const auto pipeline = start();
    EXPECT_FALSE(flush_five(*pipeline));
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(8000))));
    EXPECT_EQ(counts_in(bodies(collector).back()), (counts{{"a", 1}}));
}

TEST_F(Faults, CumulativeMakesAFailedExportGood) {
    fake_collector collector({{.status = 503, .retry_after = "3600"}, {.status = 200}});
    send_to(collector);
    const auto pipeline = start();
    EXPECT_FALSE(flush_five(*pipeline));
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(8000))));
    EXPECT_EQ(counts_in(bodies(collector).back()), (counts{{"a", 6}}));
}

}  // namespace
}  // namespace gym::telemetry::detail
