// SPDX-License-Identifier: Apache-2.0
//
// OTLP over gRPC: unary calls, retried by the rules of docs/export.md.
#pragma once

#include "export/exporter.hpp"
#include "export/grpc_transport.hpp"

#include <gym/telemetry/options.hpp>

#include <memory>

namespace gym::telemetry::detail {

// Null when neither signal goes over gRPC, or neither can; that has then been complained about.
std::unique_ptr<exporter> make_grpc_exporter(const settings& config);

// Each signal to the exporter that it is configured for; both at the same time, so that one that
// stalls takes no time from the other. Either may be null.
std::unique_ptr<exporter> split_by_protocol(std::unique_ptr<exporter> http,
                                            std::unique_ptr<exporter> grpc, const settings& config);

}  // namespace gym::telemetry::detail
