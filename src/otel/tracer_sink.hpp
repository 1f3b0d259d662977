// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/span_queue.hpp"

#include <memory>

#include <opentelemetry/trace/tracer_provider.h>

namespace gym::telemetry::otel {

// Finished spans on their way to a tracer of `provider`. With the SDK's they keep their ids, and
// its sampler decides. Another tracer only lets spans be started: they keep trace, parent and
// times but get a span id of the tracer's, and one diagnostic says so. Null when the provider gives
// no tracer.
std::shared_ptr<detail::span_sink> make_tracer_sink(opentelemetry::trace::TracerProvider& provider);

}  // namespace gym::telemetry::otel
