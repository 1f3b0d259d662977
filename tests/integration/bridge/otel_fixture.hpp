// SPDX-License-Identifier: Apache-2.0
//
// An application's own OpenTelemetry: a meter provider with a reader that the test collects by.
#pragma once

#include "complaints.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/otel/adopt.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opentelemetry/sdk/metrics/data/metric_data.h>
#include <opentelemetry/sdk/metrics/export/metric_producer.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>

namespace gym::telemetry::test {

namespace nostd = opentelemetry::nostd;
namespace otel_sdk = opentelemetry::sdk::metrics;
namespace otel_api = opentelemetry::metrics;

class test_reader : public otel_sdk::MetricReader {
public:
    otel_sdk::AggregationTemporality GetAggregationTemporality(
        otel_sdk::InstrumentType) const noexcept override {
        return otel_sdk::AggregationTemporality::kCumulative;
    }
    bool OnForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool OnShutDown(std::chrono::microseconds) noexcept override { return true; }
};

// One point, its attributes as key=value joined by commas, in the order of the keys.
struct seen_point {
    otel_sdk::MetricData metric;  // without points
    std::string attributes;
    otel_sdk::PointType value;

    std::int64_t integer() const {
        return nostd::get<std::int64_t>(nostd::get<otel_sdk::SumPointData>(value).value_);
    }
    double gauge() const {
        return nostd::get<double>(nostd::get<otel_sdk::LastValuePointData>(value).value_);
    }
    const otel_sdk::HistogramPointData& histogram() const {
        return nostd::get<otel_sdk::HistogramPointData>(value);
    }
};

inline std::string text_of(const otel_sdk::PointAttributes& attributes) {
    std::string text;
    for (const auto& [key, value] : attributes) {
        if (!text.empty()) text += ',';
        text += key + '=';
        if (const auto* flag = nostd::get_if<bool>(&value))
            text += *flag ? "true" : "false";
        else
            text += nostd::get<std::string>(value);
    }
    return text;
}

// Points by the name of their instrument.
using seen_points = std::map<std::string, std::vector<seen_point>>;

inline seen_points collect_from(otel_sdk::MetricReader& reader) {
    seen_points seen;
    reader.Collect([&](otel_sdk::ResourceMetrics& all) {
        for (const auto& scope : all.scope_metric_data_)
            for (const auto& metric : scope.metric_data_) {
                otel_sdk::MetricData bare = metric;
                bare.point_data_attr_.clear();
                for (const auto& point : metric.point_data_attr_)
                    seen[metric.instrument_descriptor.name_].push_back(
                        {bare, text_of(point.attributes), point.point_data});
            }
        return true;
    });
    return seen;
}

class AdoptTest : public testing::Test {
protected:
    using meter_provider = nostd::shared_ptr<otel_api::MeterProvider>;

    ~AdoptTest() override { shutdown(); }

    // Keeps a reference of its own to the SDK's provider, as an application does.
    static meter_provider make_provider(const std::shared_ptr<otel_sdk::MetricReader>& reader) {
        auto owned = std::make_shared<otel_sdk::MeterProvider>();
        owned->AddMetricReader(reader);
        return meter_provider(std::static_pointer_cast<otel_api::MeterProvider>(owned));
    }
    static options block() {
        options to;
        to.ignore_environment = true;
        to.span_groups = "all";
        return to;
    }
    seen_points collect() { return collect_from(*reader); }

    complaints said;
    std::shared_ptr<test_reader> reader = std::make_shared<test_reader>();
    meter_provider meters = make_provider(reader);
};

}  // namespace gym::telemetry::test
