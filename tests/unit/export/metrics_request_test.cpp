// SPDX-License-Identifier: Apache-2.0
//
// Collections on the wire, read by libprotobuf; and which fields of OTLP we set, found by
// reflection.
#include "export/metrics_request.hpp"

#include "export/spans_request.hpp"
#include "export_fixture.hpp"
#include "otlp/envelope.hpp"

#include <google/protobuf/descriptor.h>

namespace gym::telemetry::detail {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using opentelemetry::proto::metrics::v1::AggregationTemporality;

class MetricsRequest : public ExportTest {
protected:
    MetricsRequest()
        : writer({otlp::encode_resource({{"service.name", "gym"}}),
                  otlp::encode_scope("gym.telemetry", "1")}) {}

    metrics_request write(engine::temporalities time = {}) {
        if (!reader) reader.emplace(source, time);
        return parse_metrics(std::string(writer.write(reader->collect(), summary)));
    }

    static const opentelemetry::proto::metrics::v1::Metric* find(const metrics_request& in_request,
                                                                 const std::string& name) {
        for (const auto& metric : in_request.resource_metrics(0).scope_metrics(0).metrics())
            if (metric.name() == name) return &metric;
        return nullptr;
    }

    // One point of every kind.
    void record_all() {
        count("a");
        add(-3, "a");
        time(250, "a");
        time(250.5, "a");
    }

    metrics_request_writer writer;
    std::optional<engine::reader> reader;
    request_summary summary;
};

TEST_F(MetricsRequest, IsEmptyWithoutPoints) {
    reader.emplace(source, engine::temporalities{});
    EXPECT_TRUE(writer.write(reader->collect(), summary).empty());
    EXPECT_EQ(summary.points, 0u);
}

TEST_F(MetricsRequest, HoldsEveryKindAsOtlpHasIt) {
    record_all();
    const metrics_request request = write();
    const auto* counter = find(request, "counter");
    ASSERT_NE(counter, nullptr);
    EXPECT_TRUE(counter->sum().is_monotonic());
    EXPECT_EQ(counter->sum().aggregation_temporality(),
              AggregationTemporality::AGGREGATION_TEMPORALITY_CUMULATIVE);
    EXPECT_EQ(counter->sum().data_points(0).as_int(), 1);
    EXPECT_EQ(counter->sum().data_points(0).start_time_unix_nano(),
              static_cast<std::uint64_t>(source->start_time_ns()));
    EXPECT_GE(counter->sum().data_points(0).time_unix_nano(),
              counter->sum().data_points(0).start_time_unix_nano());

    const auto* up_down = find(request, "up_down");
    ASSERT_NE(up_down, nullptr);
    EXPECT_FALSE(up_down->sum().is_monotonic());
    EXPECT_EQ(up_down->sum().data_points(0).as_int(), -3);

    const auto* histogram = find(request, "histogram");
    ASSERT_NE(histogram, nullptr);
    const auto& point = histogram->histogram().data_points(0);
    EXPECT_EQ(point.count(), 2u);
    EXPECT_EQ(point.sum(), 500.5);
    EXPECT_EQ(point.min(), 250);
    EXPECT_EQ(point.max(), 250.5);
    EXPECT_EQ(
        std::vector<std::uint64_t>(point.bucket_counts().begin(), point.bucket_counts().end()),
        (std::vector<std::uint64_t>{1, 1, 0, 0}));
    EXPECT_EQ(std::vector<double>(point.explicit_bounds().begin(), point.explicit_bounds().end()),
              std::vector<double>(engine::test_bounds.begin(), engine::test_bounds.end()));
    EXPECT_EQ(point.attributes(0).key(), "a");

    const auto* series = find(request, "series");  // a gauge
    ASSERT_NE(series, nullptr);
    EXPECT_EQ(series->gauge().data_points(0).as_double(), 1);
    EXPECT_EQ(series->gauge().data_points(0).start_time_unix_nano(), 0u);
}

TEST_F(MetricsRequest, IsTheBytesThatLibprotobufWouldWrite) {
    record_all();
    reader.emplace(source, engine::temporalities{});
    const std::string ours(writer.write(reader->collect(), summary));
    EXPECT_EQ(parse_metrics(ours).SerializeAsString(), ours);
}

TEST_F(MetricsRequest, DeltaHasItsOwnTimesAndNoExtremes) {
    const engine::temporalities delta{.counter = temporality::delta,
                                      .histogram = temporality::delta};
    record_all();
    const metrics_request first = write(delta);
    record_all();
    const metrics_request second = write(delta);
    const auto& before = find(first, "histogram")->histogram();
    const auto& after = find(second, "histogram")->histogram();
    EXPECT_EQ(after.aggregation_temporality(),
              AggregationTemporality::AGGREGATION_TEMPORALITY_DELTA);
    EXPECT_EQ(after.data_points(0).count(), 2u);
    EXPECT_EQ(after.data_points(0).start_time_unix_nano(), before.data_points(0).time_unix_nano());
    EXPECT_FALSE(after.data_points(0).has_min());
    EXPECT_EQ(find(second, "up_down")->sum().aggregation_temporality(),
              AggregationTemporality::AGGREGATION_TEMPORALITY_CUMULATIVE);
    EXPECT_EQ(find(second, "up_down")->sum().data_points(0).as_int(), -6);
}

TEST_F(MetricsRequest, FingerprintChangesWithPointsThatAreNoSelfMetrics) {
    record_all();
    write();
    const auto before = summary.fingerprint;
    write();
    EXPECT_EQ(summary.fingerprint, before);
    engine::record(engine::test_row::dropped, engine::increment{}, std::string_view("x"),
                   std::string_view("y"));
    write();
    EXPECT_EQ(summary.fingerprint, before);
    EXPECT_LT(summary.gym_points, summary.points);
    add(1, "a");
    write();
    const auto after = summary.fingerprint;
    EXPECT_NE(after, before);
    add(-1, "b");
    write();
    EXPECT_NE(summary.fingerprint, after);
}

TEST(SeriesAttributes, ByTypeAndWithoutEmptyOptionalOnes) {
    using engine::attribute_row;
    const std::array attributes = {attribute_row{"text"},
                                   attribute_row{.key = "absent", .optional = true},
                                   attribute_row{"yes", engine::attribute_type::boolean},
                                   attribute_row{"no", engine::attribute_type::boolean}};
    const engine::instrument_row row{.name = "row", .attributes = attributes};
    const std::string_view values[] = {"", "", std::string_view("\1", 1),
                                       std::string_view("\0", 1)};
    std::string encoded;
    encode_series_attributes(row, values, false, encoded);
    opentelemetry::proto::metrics::v1::NumberDataPoint point;
    ASSERT_TRUE(point.ParseFromString(encoded));
    ASSERT_EQ(point.attributes_size(), 3);
    EXPECT_TRUE(point.attributes(0).value().has_string_value());
    EXPECT_TRUE(point.attributes(1).value().bool_value());
    EXPECT_TRUE(point.attributes(2).value().has_bool_value());
    EXPECT_FALSE(point.attributes(2).value().bool_value());

    engine::instrument_row histogram = row;
    histogram.how = engine::aggregation::histogram;
    encoded.clear();
    encode_series_attributes(histogram, nullptr, true, encoded);
    opentelemetry::proto::metrics::v1::HistogramDataPoint overflow;
    ASSERT_TRUE(overflow.ParseFromString(encoded));
    ASSERT_EQ(overflow.attributes_size(), 1);
    EXPECT_EQ(overflow.attributes(0).key(), "otel.metric.overflow");
    EXPECT_TRUE(overflow.attributes(0).value().bool_value());
}

// Every field of every message that stands in what we send.
void note_fields(const Message& message, std::map<std::string, bool>& to) {
    const auto* type = message.GetDescriptor();
    const auto* reflection = message.GetReflection();
    for (int i = 0; i < type->field_count(); ++i)
        to.try_emplace(std::string(type->field(i)->full_name()));
    std::vector<const FieldDescriptor*> present;
    reflection->ListFields(message, &present);
    for (const FieldDescriptor* field : present) {
        to[std::string(field->full_name())] = true;
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
        if (!field->is_repeated()) note_fields(reflection->GetMessage(message, field), to);
        for (int n = 0; field->is_repeated() && n < reflection->FieldSize(message, field); ++n)
            note_fields(reflection->GetRepeatedMessage(message, field, n), to);
    }
}

// A field that a later OTLP adds fails here until somebody decides whether we set it.
TEST_F(MetricsRequest, SetsTheFieldsOfOtlpButForTheseFew) {
    record_all();
    engine::record(engine::test_row::dropped, engine::increment{}, std::string_view("x"),
                   std::string_view("y"));
    std::map<std::string, bool> fields;
    note_fields(write(), fields);
    finished_span span{.name = "s",
                       .context = new_span_context(),
                       .parent = new_span_context().span,
                       .start_ns = 1,
                       .end_ns = 2,
                       .attributes = {{"yes", true}, {"integer", std::int64_t{1}}, {"real", 0.5}},
                       .status = span_status::error,
                       .status_message = "m"};
    traces_request traces;
    ASSERT_TRUE(traces.ParseFromString(write_spans_request(
        {otlp::encode_resource({{"k", "v"}}), otlp::encode_scope("n", "v")}, {&span, 1})));
    note_fields(traces, fields);

    std::set<std::string> unset;
    constexpr std::string_view package = "opentelemetry.proto.";
    for (const auto& [name, is_set] : fields)
        if (!is_set) unset.insert(name.substr(package.size()));
    unset.erase("resource.v1.Resource.entity_refs");  // newer than some releases of the files
    EXPECT_EQ(
        unset,
        (std::set<std::string>{
            // The table's rows have them in the product, not in this test's table.
            "metrics.v1.Metric.description", "metrics.v1.Metric.unit",
            // Nothing of ours has such values.
            "common.v1.AnyValue.array_value", "common.v1.AnyValue.bytes_value",
            "common.v1.AnyValue.kvlist_value", "common.v1.InstrumentationScope.attributes",
            "common.v1.InstrumentationScope.dropped_attributes_count",
            "metrics.v1.HistogramDataPoint.exemplars", "metrics.v1.HistogramDataPoint.flags",
            "metrics.v1.Metric.exponential_histogram", "metrics.v1.Metric.metadata",
            "metrics.v1.Metric.summary", "metrics.v1.NumberDataPoint.exemplars",
            "metrics.v1.NumberDataPoint.flags", "metrics.v1.ResourceMetrics.schema_url",
            "metrics.v1.ScopeMetrics.schema_url", "resource.v1.Resource.dropped_attributes_count",
            "trace.v1.ResourceSpans.schema_url", "trace.v1.ScopeSpans.schema_url",
            "trace.v1.Span.dropped_attributes_count", "trace.v1.Span.dropped_events_count",
            "trace.v1.Span.dropped_links_count", "trace.v1.Span.events", "trace.v1.Span.links",
            "trace.v1.Span.trace_state"}));
}

}  // namespace
}  // namespace gym::telemetry::detail
