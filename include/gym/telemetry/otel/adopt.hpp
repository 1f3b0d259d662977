// SPDX-License-Identifier: Apache-2.0
//
// Recording into OpenTelemetry providers that the application owns, instead of exporting by
// ourselves. In a library of its own, gym_telemetry::otel, on opentelemetry-cpp 1.19 (ABI 1).
//
//     auto meters = opentelemetry::nostd::shared_ptr<opentelemetry::metrics::MeterProvider>(...);
//     gym::telemetry::otel::adopt(meters, opentelemetry::trace::Provider::GetTracerProvider());
//     gym::telemetry::record_sandbox_startup(std::chrono::seconds(42), "docker");
//
// What it costs: docs/migration.md. What cannot be had: docs/decisions/012-adopted-instruments.md.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/options.hpp>

#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/trace/tracer_provider.h>

namespace gym::telemetry::otel {

// Puts a generation in force that records into instruments of a meter `gym.telemetry` of `meters`,
// and hands finished spans to a tracer of that name of `tracers`. Either may be null: that signal
// goes nowhere. Follows the rules of init: a second call while telemetry is on changes nothing and
// does not touch the providers, the environment wins over `block`; but `enabled` is true unless
// somebody says otherwise, and exporters, endpoint, spool and temporality have no effect: the
// providers, their readers and their resource are the application's, also at flush() and
// shutdown(), which leave them alone. The providers may end before or after.
//
// With the SDK's MeterProvider a View for each histogram sets the boundaries of the API page. Views
// are added without a lock of the SDK's: call it before other threads make instruments. With
// another provider ABI 1 has no way to ask for boundaries, and one diagnostic says so.
//
// Attribute values, drops and unknown values follow the usual rules and are counted in the meter,
// too. An instrument that cannot be made loses that record only. Instruments are cached for each
// meter and kept for the life of the process, so an adopt after a shutdown goes on with the same
// meter's sums. A forked child records nothing until it adopts providers of its own.
//
// Any thread. A record costs what the provider's costs, 100 ns and more with the SDK.
GYM_TELEMETRY_API telemetry& adopt(
    const opentelemetry::nostd::shared_ptr<opentelemetry::metrics::MeterProvider>& meters,
    const opentelemetry::nostd::shared_ptr<opentelemetry::trace::TracerProvider>& tracers,
    const options& block = {}) noexcept;

}  // namespace gym::telemetry::otel
