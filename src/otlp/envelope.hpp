// SPDX-License-Identifier: Apache-2.0
//
// What surrounds points and spans in a request: resource and scope. Both are the same in every
// request of a process, so they are encoded once.
#pragma once

#include "otlp/backward_writer.hpp"
#include "otlp/fields.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::otlp {

// ResourceMetrics.resource or ResourceSpans.resource, tag included. Keys whose values OpenTelemetry
// defines as numbers (process.pid) become numbers.
std::string encode_resource(const std::vector<std::pair<std::string, std::string>>& attributes);

// ScopeMetrics.scope or ScopeSpans.scope, tag included.
std::string encode_scope(std::string_view name, std::string_view version);

// Metric messages of one scope of one resource; closes a request. Everything written to `to` are
// the metrics, or spans, in field `items` of the scope.
inline void close_request(backward_writer& to, std::string_view resource, std::string_view scope) {
    to.raw(scope);
    to.enclose(field::per_resource::scopes, 0);
    to.raw(resource);
    to.enclose(field::request::resources, 0);
}

struct metric_head {
    std::string_view name;
    std::string_view description;
    std::string_view unit;
};

// What was written since size() was `end`, a Gauge, Sum or Histogram in the field `data`, becomes a
// Metric in its scope.
void close_metric(backward_writer& to, std::uint32_t data, const metric_head& head,
                  std::size_t end);

}  // namespace gym::telemetry::otlp
