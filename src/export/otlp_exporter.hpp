// SPDX-License-Identifier: Apache-2.0
//
// OTLP over HTTP: protobuf, POST, retried by the rules of docs/export.md.
#pragma once

#include "export/exporter.hpp"
#include "export/http_transfer.hpp"

#include <gym/telemetry/options.hpp>

#include <memory>

namespace gym::telemetry::detail {

struct otlp_targets {
    http_target metrics;  // an empty URL: this signal is not sent
    http_target traces;
};
http_target http_target_of(const otlp_signal& signal);
// Signals that are off, or that go over gRPC by way of the bridge, have no URL.
otlp_targets otlp_targets_of(const settings& config);

// Null when neither signal has a URL that can be used; that has then been complained about.
std::unique_ptr<exporter> make_otlp_exporter(const otlp_targets& targets);

}  // namespace gym::telemetry::detail
