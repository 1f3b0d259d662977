// SPDX-License-Identifier: Apache-2.0
//
// Finished spans as an OTLP request.
#pragma once

#include "export/metrics_request.hpp"

#include <gym/telemetry/trace.hpp>

#include <span>
#include <string>

namespace gym::telemetry::detail {

// An ExportTraceServiceRequest.
std::string write_spans_request(const request_envelope& envelope,
                                std::span<const finished_span> spans);

}  // namespace gym::telemetry::detail
