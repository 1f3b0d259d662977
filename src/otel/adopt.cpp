// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"
#include "handle/embedding.hpp"
#include "otel/meter_sink.hpp"
#include "otel/tracer_sink.hpp"

#include <gym/telemetry/otel/adopt.hpp>

#include <stdexcept>

namespace gym::telemetry::otel {

namespace {

// The owners keep their providers: only a meter and a tracer are kept of them.
class provider_parts final : public detail::part_maker {
public:
    provider_parts(api::MeterProvider* meters, opentelemetry::trace::TracerProvider* tracers)
        : meters_(meters), tracers_(tracers) {}

    detail::adopted_parts make(const settings& config) override {
        if (meters_ == nullptr && tracers_ == nullptr)
            throw std::invalid_argument("adopt was given no provider");
        detail::adopted_parts parts;
        if (meters_ != nullptr && config.metrics_enabled) parts.metrics = metrics();
        if (tracers_ != nullptr && config.traces_enabled) parts.spans = make_tracer_sink(*tracers_);
        return parts;
    }

private:
    std::shared_ptr<engine::foreign_sink> metrics() {
        const meter_instruments::found of = meter_instruments::of(*meters_);
        if (!of.has_boundaries)
            detail::diagnose("adopt.boundaries",
                             "the adopted meter provider is not the one of OpenTelemetry's SDK: "
                             "boundaries of histograms cannot be set, it will use its own (usually "
                             "0 to 10000)");
        return meter_sink::make(of.instruments);
    }

    api::MeterProvider* meters_;
    opentelemetry::trace::TracerProvider* tracers_;
};

}  // namespace

telemetry& adopt(
    const opentelemetry::nostd::shared_ptr<opentelemetry::metrics::MeterProvider>& meters,
    const opentelemetry::nostd::shared_ptr<opentelemetry::trace::TracerProvider>& tracers,
    const options& block) noexcept {
    provider_parts parts(meters.get(), tracers.get());
    return detail::init_embedded(block, &parts);
}

}  // namespace gym::telemetry::otel
