// SPDX-License-Identifier: Apache-2.0
#include "handle/otlp_settings.hpp"

#include "complaints.hpp"
#include "export/grpc_transport.hpp"
#include "handle/configuration.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class OtlpSettings : public testing::Test {
protected:
    ~OtlpSettings() override { set_grpc_factory(nullptr); }

    settings resolve(variable_map variables, options block = {}) const {
        if (!block.enabled) block.enabled = true;
        return resolve_settings(block, environment(std::move(variables)));
    }

    test::complaints complaints_;
};

TEST_F(OtlpSettings, TheSignalsPathGoesBehindTheGeneralEndpoint) {
    const settings resolved = resolve({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example/in/"}},
                                      {.otlp_endpoint = "http://loses"});
    EXPECT_EQ(resolved.otlp_endpoint, "https://otel.example/in/");
    EXPECT_EQ(resolved.otlp_metrics.endpoint, "https://otel.example/in/v1/metrics");
    EXPECT_EQ(resolved.otlp_traces.endpoint, "https://otel.example/in/v1/traces");
    EXPECT_THAT(complaints_.all(), IsEmpty());
}

TEST_F(OtlpSettings, TheSignalsOwnEndpointIsUsedAsItStands) {
    const settings resolved =
        resolve({{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m.example/push"}},
                {.otlp_endpoint = "http://block.example"});
    EXPECT_EQ(resolved.otlp_metrics.endpoint, "http://m.example/push");
    EXPECT_EQ(resolved.otlp_metrics_endpoint, "http://m.example/push");
    EXPECT_EQ(resolved.otlp_traces.endpoint, "http://block.example/v1/traces");
    EXPECT_EQ(resolved.otlp_traces_endpoint, "");
}

TEST_F(OtlpSettings, TheSignalsOwnVariablesComeFirst) {
    const settings resolved = resolve({
        {"OTEL_EXPORTER_OTLP_HEADERS", "k=general"},
        {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "k=metrics"},
        {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"},
        {"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "none"},
        {"OTEL_EXPORTER_OTLP_TIMEOUT", "3000"},
        {"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "1000"},
        {"OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem"},
        {"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "traces-ca.pem"},
        {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "client.pem"},
        {"OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY", "metrics.key"},
    });
    EXPECT_EQ(resolved.otlp_metrics.headers, "k=metrics");
    EXPECT_EQ(resolved.otlp_traces.headers, "k=general");
    EXPECT_EQ(resolved.otlp_metrics.compression, "gzip");
    EXPECT_EQ(resolved.otlp_traces.compression, "none");
    EXPECT_EQ(resolved.otlp_metrics.timeout_ms, 1000);
    EXPECT_EQ(resolved.otlp_timeout_ms, 1000);
    EXPECT_EQ(resolved.otlp_traces.timeout_ms, 3000);
    EXPECT_EQ(resolved.otlp_metrics.certificate, "ca.pem");
    EXPECT_EQ(resolved.otlp_traces.certificate, "traces-ca.pem");
    EXPECT_EQ(resolved.otlp_traces.client_certificate, "client.pem");
    EXPECT_EQ(resolved.otlp_metrics.client_key, "metrics.key");
    EXPECT_EQ(resolved.otlp_traces.client_key, "");
    EXPECT_THAT(complaints_.all(), IsEmpty());
}

TEST_F(OtlpSettings, AnUnreadableSignalVariableLeavesTheGeneralValue) {
    const settings resolved = resolve(
        {{"OTEL_EXPORTER_OTLP_TIMEOUT", "3000"}, {"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "soon"}});
    EXPECT_EQ(resolved.otlp_metrics.timeout_ms, 3000);
    EXPECT_THAT(complaints_.all(), SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "soon", "3000"}));
}

TEST_F(OtlpSettings, ATimeoutOfZeroIsNoLimit) {
    EXPECT_EQ(resolve({{"OTEL_EXPORTER_OTLP_TIMEOUT", "0"}}).otlp_timeout_ms, 2'147'483'647);
    EXPECT_THAT(complaints_.all(), IsEmpty());
}

TEST_F(OtlpSettings, AnUnknownCompressionIsNone) {
    const settings resolved = resolve({{"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"}});
    EXPECT_EQ(resolved.otlp_metrics.compression, "none");
    EXPECT_THAT(complaints_.all(), SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "none"}));
}

TEST_F(OtlpSettings, GrpcWithoutTheBridgeIsHttpAndSaysSoOnce) {
    const settings resolved = resolve({}, {.otlp_protocol = "grpc"});
    EXPECT_EQ(resolved.otlp_protocol, "http/protobuf");
    EXPECT_EQ(resolved.otlp_endpoint, "http://localhost:4318");
    EXPECT_TRUE(resolved.telemetry_on);
    EXPECT_THAT(complaints_.all(), SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"otlp_protocol", "grpc", "http/protobuf"}));
    const test::complaints from_variable;
    resolve({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}, {.otlp_protocol = "http/protobuf"});
    EXPECT_TRUE(from_variable.mentions({"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}));
}

TEST_F(OtlpSettings, GrpcWithTheBridgeHasItsOwnPort) {
    set_grpc_factory([](const grpc_targets&) { return std::unique_ptr<grpc_transport>(); });
    const settings resolved = resolve({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}});
    EXPECT_EQ(resolved.otlp_metrics.protocol, "grpc");
    EXPECT_EQ(resolved.otlp_metrics.endpoint, "http://localhost:4317");
    EXPECT_EQ(resolve({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                       {"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"}})
                  .otlp_metrics.endpoint,
              "collector:4317");
    const settings mixed = resolve({{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"}});
    EXPECT_EQ(mixed.otlp_metrics.endpoint, "http://localhost:4318/v1/metrics");
    EXPECT_EQ(mixed.otlp_traces.endpoint, "http://localhost:4317");
    EXPECT_THAT(complaints_.all(), IsEmpty());
}

TEST_F(OtlpSettings, AnUnknownProtocolIsHttp) {
    EXPECT_EQ(resolve({{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}}).otlp_protocol,
              "http/protobuf");
    EXPECT_TRUE(
        complaints_.mentions({"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "http/protobuf"}));
}

TEST_F(OtlpSettings, AnUnusableEndpointTakesTheExporterAway) {
    const settings resolved = resolve({}, {.exporter = "otlp,file", .otlp_endpoint = "localhost"});
    EXPECT_THAT(resolved.exporters, ElementsAre("file"));
    EXPECT_TRUE(resolved.telemetry_on);
    EXPECT_THAT(complaints_.all(), SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"otlp_endpoint", "localhost"}));
}

TEST_F(OtlpSettings, AnUnusableEndpointOfOneSignalLeavesTheOther) {
    const settings resolved = resolve({{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "nowhere"}});
    EXPECT_TRUE(resolved.telemetry_on);
    EXPECT_EQ(resolved.otlp_traces.endpoint, "");
    EXPECT_EQ(resolved.otlp_metrics.endpoint, "http://localhost:4318/v1/metrics");
    EXPECT_THAT(complaints_.all(), SizeIs(1));
    EXPECT_TRUE(complaints_.mentions({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "nowhere"}));
}

TEST_F(OtlpSettings, WhatIsNotUsedIsNotComplainedAbout) {
    const variable_map bad{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://"},
                           {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}};
    EXPECT_TRUE(resolve(bad, {.exporter = "console"}).telemetry_on);
    EXPECT_FALSE(resolve(bad, {.enabled = false}).telemetry_on);
    variable_map traces_bad{{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "nowhere"}};
    EXPECT_TRUE(resolve(traces_bad, {.traces_enabled = false}).telemetry_on);
    EXPECT_THAT(complaints_.all(), IsEmpty());
}

TEST_F(OtlpSettings, CredentialsOfAnEndpointAreNotShown) {
    resolve({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret@host:99999"}});
    EXPECT_THAT(complaints_.all(), SizeIs(1));
    EXPECT_FALSE(complaints_.mentions({"secret"}));
    EXPECT_TRUE(complaints_.mentions({"OTEL_EXPORTER_OTLP_ENDPOINT", "host:99999"}));
}

}  // namespace
}  // namespace gym::telemetry::detail
