// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <opentelemetry/metrics/meter_provider.h>

namespace gym::telemetry::otel {

// The name of our meter and tracer.
inline constexpr std::string_view scope_name = "gym.telemetry";

// Adds a View for each histogram of the table, so that its boundaries hold. Before the instruments
// are made: a View has no effect on those that are. False when the provider is not the SDK's: it
// will use boundaries of its own.
bool set_boundaries(opentelemetry::metrics::MeterProvider& provider);

}  // namespace gym::telemetry::otel
