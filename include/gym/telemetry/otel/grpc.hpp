// SPDX-License-Identifier: Apache-2.0
//
// Export over gRPC: OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or otlp_protocol of the options.
//
//     gym::telemetry::otel::enable_grpc_export();
//     gym::telemetry::init({.enabled = true, .otlp_endpoint = "http://collector:4317",
//                           .otlp_protocol = "grpc"});
#pragma once

#include <gym/telemetry/detail/api.hpp>

namespace gym::telemetry::otel {

// Lets the inits that follow export over gRPC. Loading the bridge library does the same; a call
// keeps the linker from leaving a library out that nothing else is used of. Any thread.
//
// Headers, compression, TLS with its certificates, timeouts, retries, partial successes and
// self-metrics follow the rules of docs/export.md. A forked child of a process that has exported
// over gRPC cannot: one diagnostic says so.
GYM_TELEMETRY_API void enable_grpc_export() noexcept;

}  // namespace gym::telemetry::otel
