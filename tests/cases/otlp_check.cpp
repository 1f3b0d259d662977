// SPDX-License-Identifier: Apache-2.0
#include "otlp_check.hpp"

#include "engine/reader.hpp"
#include "export/metrics_request.hpp"
#include "handle/handle.hpp"
#include "json_value.hpp"
#include "otlp/envelope.hpp"
#include "otlp/json.hpp"
#include "otlp/schema.hpp"
#include "verdict.hpp"

#include <string>

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>

namespace gym::telemetry::cases {

namespace {

using request = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;

std::size_t count_points(const request& from) {
    std::size_t points = 0;
    for (const auto& resource : from.resource_metrics())
        for (const auto& scope : resource.scope_metrics())
            for (const auto& metric : scope.metrics())
                points += static_cast<std::size_t>(metric.sum().data_points_size() +
                                                   metric.gauge().data_points_size() +
                                                   metric.histogram().data_points_size());
    return points;
}

}  // namespace

void check_export_is_parseable() {
    const auto session = detail::current_session();
    require(session != nullptr, "nothing is exporting");
    engine::reader reader(session->source(), {});
    detail::metrics_request_writer writer(
        {otlp::encode_resource({{"service.name", "cases"}}), otlp::encode_scope("gym", "")});
    detail::request_summary summary;
    const std::string bytes(writer.write(reader.collect(), summary));

    request from_protobuf;
    require(from_protobuf.ParseFromString(bytes), "libprotobuf cannot read the protobuf");
    require(count_points(from_protobuf) == summary.points, "points are missing in the protobuf");

    std::string json;
    require(otlp::append_json(otlp::metrics_request_message, bytes, json),
            "no JSON could be written");
    parse_json(json);
    request from_json;
    require(google::protobuf::util::JsonStringToMessage(json, &from_json).ok(),
            "libprotobuf cannot read the JSON");
    google::protobuf::util::MessageDifferencer differencer;
    require(differencer.Compare(from_protobuf, from_json), "the JSON says something else");
}

}  // namespace gym::telemetry::cases
