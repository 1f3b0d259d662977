// SPDX-License-Identifier: Apache-2.0
//
// The OTEL_EXPORTER_OTLP_* variables. Source: the OpenTelemetry specification, "OTLP exporter".
#pragma once

#include "base/environment.hpp"

#include <gym/telemetry/options.hpp>

namespace gym::telemetry::detail {

// Fills in what is OTLP's in `resolved`, whose otlp_endpoint, otlp_protocol and otlp_headers are
// those of variable or block already: the general values and those of each signal. Complains about
// what cannot be read, and, when `in_use`, about what cannot be used: a signal that is on and has
// no usable endpoint gets an empty one.
void resolve_otlp(settings& resolved, const options& block, const environment& variables,
                  bool in_use);

}  // namespace gym::telemetry::detail
