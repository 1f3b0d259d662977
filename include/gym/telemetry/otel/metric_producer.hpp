// SPDX-License-Identifier: Apache-2.0
//
// Being collected by an OpenTelemetry MetricReader that the application makes for us: recording
// costs what it always does, and the application's exporter sends what was recorded.
//
//     gym::telemetry::otel::init_collected({.service_name = "my-gym"});
//     auto producer = gym::telemetry::otel::make_metric_producer();
//     auto reader = std::make_shared<PeriodicExportingMetricReader>(std::move(exporter), options);
//     reader->SetMetricProducer(producer.get());  // starts it; the producer must outlive it
//     ...
//     reader->ForceFlush();
//     gym::telemetry::shutdown();
//     reader->Shutdown();
//
// A reader holds one producer: do not give it one of a MeterProvider, whose own metrics would be
// gone.
#pragma once

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/options.hpp>

#include <memory>

#include <opentelemetry/sdk/metrics/export/metric_producer.h>

namespace gym::telemetry::otel {

// As init, but nothing is exported: `enabled` is true unless somebody says otherwise, exporters and
// what belongs to them have no effect, finished spans go nowhere. Any thread.
GYM_TELEMETRY_API telemetry& init_collected(const options& block = {}) noexcept;

// Sees everything that is recorded while it lives, beside whatever else collects or exports. Takes
// the temporality that the reader's exporter asks for; up-down counters and gauges are cumulative.
// After a shutdown it goes on with what the last generation held, until the next one begins; before
// the first init and in a forked child it has nothing. The resource is ours (service.name and
// further), and no telemetry.sdk.* is added. Produce() may be called by any thread; the callback of
// the connect counter runs inside. Throws bad_alloc.
GYM_TELEMETRY_API std::unique_ptr<opentelemetry::sdk::metrics::MetricProducer> make_metric_producer(
    temporality time = temporality::cumulative);

}  // namespace gym::telemetry::otel
