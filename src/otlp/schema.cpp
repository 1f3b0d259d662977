// SPDX-License-Identifier: Apache-2.0
#include "otlp/schema.hpp"

#include <array>

namespace gym::telemetry::otlp {

namespace {

using enum field_type;

constexpr bool many = true;

extern const message_row any_value;

// opentelemetry.proto.common.v1
constexpr std::array array_value_fields = {field_row{1, "values", message, many, &any_value}};
constexpr message_row array_value{"opentelemetry.proto.common.v1.ArrayValue", array_value_fields};

constexpr std::array key_value_fields = {field_row{1, "key", text},
                                         field_row{2, "value", message, false, &any_value}};
constexpr message_row key_value{"opentelemetry.proto.common.v1.KeyValue", key_value_fields};

constexpr std::array key_value_list_fields = {field_row{1, "values", message, many, &key_value}};
constexpr message_row key_value_list{"opentelemetry.proto.common.v1.KeyValueList",
                                     key_value_list_fields};

constexpr std::array any_value_fields = {
    field_row{1, "stringValue", text},
    field_row{2, "boolValue", boolean},
    field_row{3, "intValue", integer},
    field_row{4, "doubleValue", real},
    field_row{5, "arrayValue", message, false, &array_value},
    field_row{6, "kvlistValue", message, false, &key_value_list},
    field_row{7, "bytesValue", bytes}};
constexpr message_row any_value{"opentelemetry.proto.common.v1.AnyValue", any_value_fields};

constexpr std::array entity_ref_fields = {
    field_row{1, "schemaUrl", text}, field_row{2, "type", text}, field_row{3, "idKeys", text, many},
    field_row{4, "descriptionKeys", text, many}};
constexpr message_row entity_ref{"opentelemetry.proto.common.v1.EntityRef", entity_ref_fields};

constexpr std::array scope_fields = {field_row{1, "name", text}, field_row{2, "version", text},
                                     field_row{3, "attributes", message, many, &key_value},
                                     field_row{4, "droppedAttributesCount", number}};
constexpr message_row scope{"opentelemetry.proto.common.v1.InstrumentationScope", scope_fields};

constexpr std::array resource_fields = {field_row{1, "attributes", message, many, &key_value},
                                        field_row{2, "droppedAttributesCount", number},
                                        field_row{3, "entityRefs", message, many, &entity_ref}};
constexpr message_row resource{"opentelemetry.proto.resource.v1.Resource", resource_fields};

// opentelemetry.proto.metrics.v1
constexpr std::array exemplar_fields = {
    field_row{2, "timeUnixNano", fixed64},
    field_row{3, "asDouble", real},
    field_row{4, "spanId", id},
    field_row{5, "traceId", id},
    field_row{6, "asInt", sfixed64},
    field_row{7, "filteredAttributes", message, many, &key_value}};
constexpr message_row exemplar{"opentelemetry.proto.metrics.v1.Exemplar", exemplar_fields};

constexpr std::array number_point_fields = {field_row{2, "startTimeUnixNano", fixed64},
                                            field_row{3, "timeUnixNano", fixed64},
                                            field_row{4, "asDouble", real},
                                            field_row{5, "exemplars", message, many, &exemplar},
                                            field_row{6, "asInt", sfixed64},
                                            field_row{7, "attributes", message, many, &key_value},
                                            field_row{8, "flags", number}};
constexpr message_row number_point{"opentelemetry.proto.metrics.v1.NumberDataPoint",
                                   number_point_fields};

constexpr std::array histogram_point_fields = {
    field_row{2, "startTimeUnixNano", fixed64},
    field_row{3, "timeUnixNano", fixed64},
    field_row{4, "count", fixed64},
    field_row{5, "sum", real},
    field_row{6, "bucketCounts", fixed64, many},
    field_row{7, "explicitBounds", real, many},
    field_row{8, "exemplars", message, many, &exemplar},
    field_row{9, "attributes", message, many, &key_value},
    field_row{10, "flags", number},
    field_row{11, "min", real},
    field_row{12, "max", real}};
constexpr message_row histogram_point{"opentelemetry.proto.metrics.v1.HistogramDataPoint",
                                      histogram_point_fields};

constexpr std::array exponential_buckets_fields = {field_row{1, "offset", zigzag},
                                                   field_row{2, "bucketCounts", natural, many}};
constexpr message_row exponential_buckets{
    "opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint.Buckets",
    exponential_buckets_fields};

constexpr std::array exponential_point_fields = {
    field_row{1, "attributes", message, many, &key_value},
    field_row{2, "startTimeUnixNano", fixed64},
    field_row{3, "timeUnixNano", fixed64},
    field_row{4, "count", fixed64},
    field_row{5, "sum", real},
    field_row{6, "scale", zigzag},
    field_row{7, "zeroCount", fixed64},
    field_row{8, "positive", message, false, &exponential_buckets},
    field_row{9, "negative", message, false, &exponential_buckets},
    field_row{10, "flags", number},
    field_row{11, "exemplars", message, many, &exemplar},
    field_row{12, "min", real},
    field_row{13, "max", real},
    field_row{14, "zeroThreshold", real}};
constexpr message_row exponential_point{
    "opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint", exponential_point_fields};

constexpr std::array quantile_fields = {field_row{1, "quantile", real},
                                        field_row{2, "value", real}};
constexpr message_row quantile{"opentelemetry.proto.metrics.v1.SummaryDataPoint.ValueAtQuantile",
                               quantile_fields};

constexpr std::array summary_point_fields = {
    field_row{2, "startTimeUnixNano", fixed64},
    field_row{3, "timeUnixNano", fixed64},
    field_row{4, "count", fixed64},
    field_row{5, "sum", real},
    field_row{6, "quantileValues", message, many, &quantile},
    field_row{7, "attributes", message, many, &key_value},
    field_row{8, "flags", number}};
constexpr message_row summary_point{"opentelemetry.proto.metrics.v1.SummaryDataPoint",
                                    summary_point_fields};

constexpr std::array gauge_fields = {field_row{1, "dataPoints", message, many, &number_point}};
constexpr message_row gauge{"opentelemetry.proto.metrics.v1.Gauge", gauge_fields};

constexpr std::array sum_fields = {field_row{1, "dataPoints", message, many, &number_point},
                                   field_row{2, "aggregationTemporality", choice},
                                   field_row{3, "isMonotonic", boolean}};
constexpr message_row sum{"opentelemetry.proto.metrics.v1.Sum", sum_fields};

constexpr std::array histogram_fields = {
    field_row{1, "dataPoints", message, many, &histogram_point},
    field_row{2, "aggregationTemporality", choice}};
constexpr message_row histogram{"opentelemetry.proto.metrics.v1.Histogram", histogram_fields};

constexpr std::array exponential_fields = {
    field_row{1, "dataPoints", message, many, &exponential_point},
    field_row{2, "aggregationTemporality", choice}};
constexpr message_row exponential{"opentelemetry.proto.metrics.v1.ExponentialHistogram",
                                  exponential_fields};

constexpr std::array summary_fields = {field_row{1, "dataPoints", message, many, &summary_point}};
constexpr message_row summary{"opentelemetry.proto.metrics.v1.Summary", summary_fields};

constexpr std::array metric_fields = {
    field_row{1, "name", text},
    field_row{2, "description", text},
    field_row{3, "unit", text},
    field_row{5, "gauge", message, false, &gauge},
    field_row{7, "sum", message, false, &sum},
    field_row{9, "histogram", message, false, &histogram},
    field_row{10, "exponentialHistogram", message, false, &exponential},
    field_row{11, "summary", message, false, &summary},
    field_row{12, "metadata", message, many, &key_value}};
constexpr message_row metric{"opentelemetry.proto.metrics.v1.Metric", metric_fields};

constexpr std::array scope_metrics_fields = {field_row{1, "scope", message, false, &scope},
                                             field_row{2, "metrics", message, many, &metric},
                                             field_row{3, "schemaUrl", text}};
constexpr message_row scope_metrics{"opentelemetry.proto.metrics.v1.ScopeMetrics",
                                    scope_metrics_fields};

constexpr std::array resource_metrics_fields = {
    field_row{1, "resource", message, false, &resource},
    field_row{2, "scopeMetrics", message, many, &scope_metrics}, field_row{3, "schemaUrl", text}};
constexpr message_row resource_metrics{"opentelemetry.proto.metrics.v1.ResourceMetrics",
                                       resource_metrics_fields};

// opentelemetry.proto.trace.v1
constexpr std::array status_fields = {field_row{2, "message", text}, field_row{3, "code", choice}};
constexpr message_row status{"opentelemetry.proto.trace.v1.Status", status_fields};

constexpr std::array event_fields = {field_row{1, "timeUnixNano", fixed64},
                                     field_row{2, "name", text},
                                     field_row{3, "attributes", message, many, &key_value},
                                     field_row{4, "droppedAttributesCount", number}};
constexpr message_row event{"opentelemetry.proto.trace.v1.Span.Event", event_fields};

constexpr std::array link_fields = {field_row{1, "traceId", id},
                                    field_row{2, "spanId", id},
                                    field_row{3, "traceState", text},
                                    field_row{4, "attributes", message, many, &key_value},
                                    field_row{5, "droppedAttributesCount", number},
                                    field_row{6, "flags", fixed32}};
constexpr message_row link{"opentelemetry.proto.trace.v1.Span.Link", link_fields};

constexpr std::array span_fields = {field_row{1, "traceId", id},
                                    field_row{2, "spanId", id},
                                    field_row{3, "traceState", text},
                                    field_row{4, "parentSpanId", id},
                                    field_row{5, "name", text},
                                    field_row{6, "kind", choice},
                                    field_row{7, "startTimeUnixNano", fixed64},
                                    field_row{8, "endTimeUnixNano", fixed64},
                                    field_row{9, "attributes", message, many, &key_value},
                                    field_row{10, "droppedAttributesCount", number},
                                    field_row{11, "events", message, many, &event},
                                    field_row{12, "droppedEventsCount", number},
                                    field_row{13, "links", message, many, &link},
                                    field_row{14, "droppedLinksCount", number},
                                    field_row{15, "status", message, false, &status},
                                    field_row{16, "flags", fixed32}};
constexpr message_row span{"opentelemetry.proto.trace.v1.Span", span_fields};

constexpr std::array scope_spans_fields = {field_row{1, "scope", message, false, &scope},
                                           field_row{2, "spans", message, many, &span},
                                           field_row{3, "schemaUrl", text}};
constexpr message_row scope_spans{"opentelemetry.proto.trace.v1.ScopeSpans", scope_spans_fields};

constexpr std::array resource_spans_fields = {
    field_row{1, "resource", message, false, &resource},
    field_row{2, "scopeSpans", message, many, &scope_spans}, field_row{3, "schemaUrl", text}};
constexpr message_row resource_spans{"opentelemetry.proto.trace.v1.ResourceSpans",
                                     resource_spans_fields};

// opentelemetry.proto.collector
constexpr std::array metrics_request_fields = {
    field_row{1, "resourceMetrics", message, many, &resource_metrics}};
constexpr std::array traces_request_fields = {
    field_row{1, "resourceSpans", message, many, &resource_spans}};

constexpr std::array metrics_partial_fields = {field_row{1, "rejectedDataPoints", integer},
                                               field_row{2, "errorMessage", text}};
constexpr message_row metrics_partial{
    "opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess", metrics_partial_fields};
constexpr std::array metrics_response_fields = {
    field_row{1, "partialSuccess", message, false, &metrics_partial}};

constexpr std::array traces_partial_fields = {field_row{1, "rejectedSpans", integer},
                                              field_row{2, "errorMessage", text}};
constexpr message_row traces_partial{
    "opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess", traces_partial_fields};
constexpr std::array traces_response_fields = {
    field_row{1, "partialSuccess", message, false, &traces_partial}};

}  // namespace

constexpr message_row metrics_request_message{
    "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest", metrics_request_fields};
constexpr message_row traces_request_message{
    "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest", traces_request_fields};
constexpr message_row metrics_response_message{
    "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse",
    metrics_response_fields};
constexpr message_row traces_response_message{
    "opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse", traces_response_fields};

}  // namespace gym::telemetry::otlp
