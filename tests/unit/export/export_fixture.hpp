// SPDX-License-Identifier: Apache-2.0
//
// The engine's test table, exported to a fake collector and read back by libprotobuf.
#pragma once

#include "complaints.hpp"
#include "engine_fixture.hpp"
#include "export/pipeline.hpp"
#include "export/series_attributes.hpp"
#include "fake_collector.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>
#include <opentelemetry/proto/collector/trace/v1/trace_service.pb.h>

namespace gym::telemetry::detail {

using engine::test_row::counter;
using metrics_request = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;
using metrics_response = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceResponse;
using traces_request = opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;
using std::chrono::milliseconds;
using test::fake_collector;
using test::fake_response;
using test::received_request;

inline std::chrono::steady_clock::time_point in(milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

inline metrics_request parse_metrics(const std::string& body) {
    metrics_request request;
    EXPECT_TRUE(request.ParseFromString(body));
    return request;
}

// Value of attribute `a` -> value of the counter in a request.
inline std::map<std::string, std::int64_t> counts_in(const std::string& body,
                                                     const std::string& name = "counter") {
    std::map<std::string, std::int64_t> result;
    const metrics_request request = parse_metrics(body);
    for (const auto& resource : request.resource_metrics())
        for (const auto& scope : resource.scope_metrics())
            for (const auto& metric : scope.metrics())
                if (metric.name() == name)
                    for (const auto& point : metric.sum().data_points())
                        result[point.attributes(0).value().string_value()] += point.as_int();
    return result;
}

class ExportTest : public engine::EngineTest {
protected:
    ExportTest() {
        begin_anew();
        config.exporters = {"otlp"};
        config.export_interval_ms = 60000;
        config.traces_enabled = false;
    }

    // As a process that has recorded nothing yet.
    void begin_anew() {
        auto options = options_with({});
        options.encode = encode_series_attributes;
        source = std::make_shared<engine::generation>(options);
        engine::begin_generation(source);
    }

    void send_to(const fake_collector& collector) {
        config.otlp_metrics.endpoint = collector.url() + "/v1/metrics";
        config.otlp_traces.endpoint = collector.url() + "/v1/traces";
    }

    std::unique_ptr<pipeline> start() {
        return pipeline::start({.config = config,
                                .resource = {{"service.name", "gym"},
                                             {"service.instance.id", "instance"},
                                             {"process.pid", "42"}},
                                .source = source,
                                .metrics = true,
                                .traces = config.traces_enabled,
                                .self = self});
    }

    settings config;
    export_self_metrics self;
    test::complaints complaints;
};

}  // namespace gym::telemetry::detail
