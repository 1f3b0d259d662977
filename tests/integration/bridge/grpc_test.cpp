// SPDX-License-Identifier: Apache-2.0
//
// Export over gRPC, against a grpc++ server.
#include "complaints.hpp"
#include "fake_collector.hpp"
#include "forked_child.hpp"
#include "grpc_receiver.hpp"
#include "made_certificate.hpp"

#include <gym/telemetry/otel/grpc.hpp>
#include <gym/telemetry/telemetry.hpp>
#include <gym/telemetry/trace.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Contains;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class GrpcTest : public testing::Test {
protected:
    GrpcTest() { otel::enable_grpc_export(); }
    ~GrpcTest() override {
        shutdown(milliseconds(0));
        for (const auto& name : set_) ::unsetenv(name.c_str());
    }

    // By the environment, as its users do.
    void set(const std::string& name, const std::string& value) {
        ::setenv(name.c_str(), value.c_str(), 1);
        set_.push_back(name);
    }
    void begin(const std::string& endpoint, options block = {}) {
        set("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        block.enabled = true;
        block.otlp_endpoint = endpoint;
        ASSERT_TRUE(init(block).is_exporting());
    }
    void begin() { begin("http://" + receiver.address()); }

    // Value of the counter of create retries in a request; -1 without one.
    static std::int64_t retries_in(const otlp_metrics::ExportMetricsServiceRequest& request) {
        for (const auto& resource : request.resource_metrics())
            for (const auto& scope : resource.scope_metrics())
                for (const auto& metric : scope.metrics())
                    if (metric.name() == "gym.sandbox.create_retry_total")
                        return metric.sum().data_points(0).as_int();
        return -1;
    }
    // Of a self-metric by one attribute's value.
    static std::int64_t exports(const otlp_metrics::ExportMetricsServiceRequest& request,
                                const std::string& outcome) {
        for (const auto& metric : request.resource_metrics(0).scope_metrics(0).metrics())
            if (metric.name() == "gym.telemetry.export_total")
                for (const auto& point : metric.sum().data_points())
                    for (const auto& attribute : point.attributes())
                        if (attribute.value().string_value() == outcome) return point.as_int();
        return 0;
    }

    complaints said;
    grpc_receiver receiver;

private:
    std::vector<std::string> set_;
};

TEST_F(GrpcTest, SendsMetricsAndSpans) {
    set("OTEL_EXPORTER_OTLP_HEADERS", "X-Api-Key=a%20b,second=2");
    set("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip");
    begin();
    record_sandbox_create_retry("docker");
    finish_span({.name = "gym.server.startup", .context = new_span_context()});
    EXPECT_TRUE(flush(seconds(5)));
    ASSERT_THAT(receiver.metrics(), SizeIs(1));
    EXPECT_EQ(retries_in(receiver.metrics()[0]), 1);
    EXPECT_THAT(receiver.metadata(), Contains(Pair("x-api-key", "a b")));
    EXPECT_THAT(receiver.metadata(), Contains(Pair("second", "2")));
    ASSERT_THAT(receiver.traces(), SizeIs(1));
    EXPECT_EQ(receiver.traces()[0].resource_spans(0).scope_spans(0).spans(0).name(),
              "gym.server.startup");
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(shutdown());
    ASSERT_THAT(receiver.metrics(), SizeIs(2));
    EXPECT_EQ(retries_in(receiver.metrics()[1]), 2);
    EXPECT_EQ(exports(receiver.metrics()[1], "ok"), 2);  // one of each signal
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(GrpcTest, RetriesWhatMayBeRetried) {
    receiver.answer_with({{.status = {grpc::StatusCode::UNAVAILABLE, "restarting"}},
                          {.status = {grpc::StatusCode::ABORTED, "again"}},
                          {.status = grpc_receiver::come_back(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                                              0, 30'000'000)}});
    begin();
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(10)));
    ASSERT_THAT(receiver.metrics(), SizeIs(4));
    for (const auto& request : receiver.metrics()) EXPECT_EQ(retries_in(request), 1);
    EXPECT_TRUE(shutdown());  // nothing new
    EXPECT_THAT(receiver.metrics(), SizeIs(4));
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(GrpcTest, OtherErrorsAreFinal) {
    receiver.answer_with({{.status = {grpc::StatusCode::INVALID_ARGUMENT, "bad\npoint"}},
                          {.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "quota"}}});
    begin();
    record_sandbox_create_retry("docker");
    EXPECT_FALSE(flush(seconds(5)));
    ASSERT_THAT(receiver.metrics(), SizeIs(1));
    ASSERT_THAT(said.all(), SizeIs(1));
    EXPECT_TRUE(said.mentions({"INVALID_ARGUMENT", "bad point", receiver.address()}));
    EXPECT_FALSE(flush(seconds(5)));  // no RetryInfo
    EXPECT_THAT(receiver.metrics(), SizeIs(2));
    EXPECT_TRUE(said.mentions({"RESOURCE_EXHAUSTED"}));
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_EQ(exports(receiver.metrics().back(), "rejected"), 2);
}

TEST_F(GrpcTest, PartialSuccessIsCounted) {
    receiver.answer_with({{.rejected = 3, .message = "too old"}, {.message = "just so"}});
    begin();
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_TRUE(said.mentions({"rejected 3", "too old"}));
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_TRUE(said.mentions({"warns", "just so"}));
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_EQ(exports(receiver.metrics().back(), "partial"), 1);
    EXPECT_EQ(exports(receiver.metrics().back(), "ok"), 1);
}

TEST_F(GrpcTest, AWishBeyondTheDeadlineEndsTheExport) {
    set("OTEL_EXPORTER_OTLP_TIMEOUT", "2000");
    receiver.answer_with(
        {{.status = grpc_receiver::come_back(grpc::StatusCode::UNAVAILABLE, 3600)}});
    begin();
    record_sandbox_create_retry("docker");
    const auto before = steady_clock::now();
    EXPECT_FALSE(flush(seconds(10)));
    EXPECT_LT(steady_clock::now() - before, seconds(1));
    EXPECT_THAT(receiver.metrics(), SizeIs(1));
    EXPECT_TRUE(said.mentions({"wait longer"}));
}

TEST_F(GrpcTest, TheTimeoutEndsACallThatNobodyAnswers) {
    set("OTEL_EXPORTER_OTLP_TIMEOUT", "300");
    receiver.answer_with({{.never = true}});
    begin();
    record_sandbox_create_retry("docker");
    const auto before = steady_clock::now();
    EXPECT_FALSE(flush(seconds(10)));
    EXPECT_GE(steady_clock::now() - before, milliseconds(250));
    EXPECT_LT(steady_clock::now() - before, seconds(3));
    EXPECT_THAT(said.all(), SizeIs(1));
    EXPECT_TRUE(flush(seconds(5)));  // the next one arrives
    EXPECT_EQ(retries_in(receiver.metrics().back()), 1);
}

TEST_F(GrpcTest, ShutdownInterruptsACall) {
    receiver.answer_with({{.never = true}, {.never = true}});
    begin();
    record_sandbox_create_retry("docker");
    std::thread waits([] { flush(seconds(20)); });
    while (receiver.metrics().empty()) std::this_thread::sleep_for(milliseconds(5));
    const auto before = steady_clock::now();
    EXPECT_FALSE(shutdown(milliseconds(300)));
    EXPECT_LT(steady_clock::now() - before, seconds(3));
    waits.join();
}

TEST_F(GrpcTest, NobodyThereEndsAShutdownSoon) {
    const std::string address = receiver.address();
    receiver.stop();
    begin("http://" + address);
    record_sandbox_create_retry("docker");
    const auto before = steady_clock::now();
    EXPECT_FALSE(shutdown(seconds(20)));
    EXPECT_LT(steady_clock::now() - before, seconds(8));
    EXPECT_TRUE(said.mentions({"UNAVAILABLE", address}));
}

TEST_F(GrpcTest, AReceiverThatComesBackGetsEverything) {
    set("OTEL_EXPORTER_OTLP_TIMEOUT", "1500");
    receiver.answer_with({{.status = {grpc::StatusCode::UNAVAILABLE, ""}},
                          {.status = {grpc::StatusCode::UNAVAILABLE, ""}},
                          {.status = {grpc::StatusCode::UNAVAILABLE, ""}},
                          {.status = {grpc::StatusCode::UNAVAILABLE, ""}},
                          {.status = {grpc::StatusCode::UNAVAILABLE, ""}},
                          {.status = {grpc::StatusCode::UNAVAILABLE, ""}}});
    begin();
    for (int i = 1; i <= 3; ++i) {
        record_sandbox_create_retry("docker");
        flush(milliseconds(400));
    }
    receiver.answer_with({});
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_EQ(retries_in(receiver.metrics().back()), 3);
}

// Delta: a batch whose answer is unknown is sent again, the same bytes.
TEST_F(GrpcTest, ADeltaBatchIsFrozenUntilItIsAnswered) {
    set("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta");
    set("OTEL_EXPORTER_OTLP_TIMEOUT", "300");
    receiver.answer_with({{.never = true}});
    begin();
    record_sandbox_create_retry("docker");
    EXPECT_FALSE(flush(seconds(5)));
    record_sandbox_create_retry("docker");
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    const auto seen = receiver.metrics();
    ASSERT_THAT(seen, SizeIs(3));
    EXPECT_EQ(seen[0].SerializeAsString(), seen[1].SerializeAsString());
    EXPECT_EQ(retries_in(seen[1]), 1);
    EXPECT_EQ(retries_in(seen[2]), 2);
}

TEST_F(GrpcTest, EachSignalHasItsProtocol) {
    fake_collector collector;
    set("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/protobuf");
    set("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", collector.url() + "/v1/metrics");
    begin();
    record_sandbox_create_retry("docker");
    finish_span({.name = "gym.server.startup", .context = new_span_context()});
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_TRUE(shutdown());
    EXPECT_THAT(receiver.metrics(), IsEmpty());
    EXPECT_THAT(receiver.traces(), SizeIs(1));
    otlp_metrics::ExportMetricsServiceRequest request;
    ASSERT_THAT(collector.requests(), SizeIs(1));
    ASSERT_TRUE(request.ParseFromString(collector.requests()[0].body));
    EXPECT_EQ(retries_in(request), 1);
}

TEST_F(GrpcTest, AForkedChildSaysThatItCannot) {
    begin();
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    const int in_child = in_forked_child([this] {
        record_sandbox_create_retry("modal");  // begins the child's own generation
        const bool told = said.mentions({"forked child", "gRPC"});
        return told && !is_exporting() ? 0 : 1;
    });
    EXPECT_EQ(in_child, 0);
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(shutdown());
    EXPECT_EQ(retries_in(receiver.metrics().back()), 2);
}

// TLS, with certificates made for the run.
class GrpcTlsTest : public GrpcTest {
protected:
    void SetUp() override { ASSERT_TRUE(made_.is_there()); }

    std::string certificate() const { return made_.certificate(); }
    std::string key() const { return made_.key(); }
    static std::string content(const std::string& name) {
        std::stringstream text;
        text << std::ifstream(name).rdbuf();
        return text.str();
    }
    std::unique_ptr<grpc_receiver> serve(bool mutual) const {
        grpc::SslServerCredentialsOptions with(
            mutual ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                   : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
        if (mutual) with.pem_root_certs = content(certificate());
        with.pem_key_cert_pairs.push_back({content(key()), content(certificate())});
        return std::make_unique<grpc_receiver>(grpc::SslServerCredentials(with));
    }

private:
    made_certificate made_;
};

TEST_F(GrpcTlsTest, TrustsTheCertificateThatItIsGiven) {
    const auto server = serve(false);
    set("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate());
    begin("https://" + server->address());
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_EQ(retries_in(server->metrics().at(0)), 1);
}

TEST_F(GrpcTlsTest, ATargetWithoutASchemeIsSecureUnlessToldOtherwise) {
    const auto server = serve(false);
    set("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate());
    begin(server->address());
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_THAT(server->metrics(), SizeIs(1));
    shutdown();
    set("OTEL_EXPORTER_OTLP_INSECURE", "true");
    begin(receiver.address());
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_THAT(receiver.metrics(), SizeIs(1));
}

TEST_F(GrpcTlsTest, SendsNothingToAStranger) {
    const auto server = serve(false);
    set("OTEL_EXPORTER_OTLP_TIMEOUT", "500");
    begin("https://" + server->address());
    record_sandbox_create_retry("docker");
    EXPECT_FALSE(flush(seconds(5)));
    EXPECT_THAT(server->metrics(), IsEmpty());
    EXPECT_TRUE(said.mentions({"UNAVAILABLE"}));
}

TEST_F(GrpcTlsTest, ShowsItsOwnCertificate) {
    const auto server = serve(true);
    set("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate());
    set("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", certificate());
    set("OTEL_EXPORTER_OTLP_CLIENT_KEY", key());
    begin("https://" + server->address());
    record_sandbox_create_retry("docker");
    EXPECT_TRUE(flush(seconds(5)));
    EXPECT_EQ(retries_in(server->metrics().at(0)), 1);
}

TEST_F(GrpcTlsTest, ACertificateThatIsNotThereIsSaid) {
    set("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    set("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere.pem");
    EXPECT_FALSE(init({.enabled = true}).is_exporting());
    EXPECT_TRUE(said.mentions({"metrics", "certificate", "cannot be read"}));
}

}  // namespace
}  // namespace gym::telemetry::test
