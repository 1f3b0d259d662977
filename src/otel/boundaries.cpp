// SPDX-License-Identifier: Apache-2.0
#include "otel/boundaries.hpp"

#include "instruments/catalogue.hpp"

#include <memory>
#include <string>

#include <opentelemetry/sdk/metrics/aggregation/aggregation_config.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/view/instrument_selector.h>
#include <opentelemetry/sdk/metrics/view/meter_selector.h>
#include <opentelemetry/sdk/metrics/view/view.h>

namespace gym::telemetry::otel {

namespace {

namespace sdk = opentelemetry::sdk::metrics;

// The SDK takes a name for a regular expression.
std::string pattern_of(std::string_view name) {
    std::string pattern;
    for (const char c : name) {
        if (c == '.') pattern += '\\';
        pattern += c;
    }
    return pattern;
}

void add_view(sdk::MeterProvider& to, const engine::instrument_row& row) {
    auto boundaries = std::make_shared<sdk::HistogramAggregationConfig>();
    boundaries->boundaries_.assign(row.bounds.begin(), row.bounds.end());
    const std::string unit(row.unit);
    to.AddView(std::make_unique<sdk::InstrumentSelector>(sdk::InstrumentType::kHistogram,
                                                         pattern_of(row.name), unit),
               std::make_unique<sdk::MeterSelector>(std::string(scope_name), "", ""),
               std::make_unique<sdk::View>("", "", unit, sdk::AggregationType::kHistogram,
                                           std::move(boundaries)));
}

}  // namespace

bool set_boundaries(opentelemetry::metrics::MeterProvider& provider) {
    auto* const owned = dynamic_cast<sdk::MeterProvider*>(&provider);
    if (owned == nullptr) return false;
    for (const engine::instrument_row& row : instruments::catalogue)
        if (row.kind == instrument_kind::histogram && !row.self_metric) add_view(*owned, row);
    return true;
}

}  // namespace gym::telemetry::otel
