// SPDX-License-Identifier: Apache-2.0
//
// The least that makes an SDK's MeterProvider collect.
#pragma once

#include <opentelemetry/sdk/metrics/metric_reader.h>

namespace bench {

namespace sdk = opentelemetry::sdk::metrics;

struct pull_reader : sdk::MetricReader {
    sdk::AggregationTemporality GetAggregationTemporality(
        sdk::InstrumentType) const noexcept override {
        return sdk::AggregationTemporality::kCumulative;
    }
    bool OnForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool OnShutDown(std::chrono::microseconds) noexcept override { return true; }
};

}  // namespace bench
