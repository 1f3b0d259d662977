// SPDX-License-Identifier: Apache-2.0
//
// What we write against what libprotobuf writes for the same message made by hand: the same bytes.
#include "otlp/points.hpp"

#include "otlp/attributes.hpp"
#include "otlp/envelope.hpp"

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>

namespace gym::telemetry::otlp {
namespace {

using metrics_request = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;
using opentelemetry::proto::common::v1::KeyValue;
using opentelemetry::proto::metrics::v1::Gauge;
using opentelemetry::proto::metrics::v1::Histogram;
using opentelemetry::proto::metrics::v1::NumberDataPoint;
using opentelemetry::proto::resource::v1::Resource;

TEST(Varint, HasItsShortestForm) {
    for (int bits = 0; bits < 64; ++bits) {
        const std::uint64_t value = std::uint64_t{1} << bits;
        char bytes[10];
        EXPECT_EQ(static_cast<std::size_t>(put_varint(bytes, value) - bytes), varint_size(value));
        EXPECT_EQ(varint_size(value - 1),
                  static_cast<std::size_t>(put_varint(bytes, value - 1) - bytes));
    }
    EXPECT_EQ(varint_size(0), 1u);
    EXPECT_EQ(varint_size(~std::uint64_t{0}), 10u);
}

TEST(BackwardWriter, GrowsAndIsUsedAgain) {
    backward_writer to;
    for (int round = 0; round < 2; ++round) {
        to.clear();
        for (int i = 0; i < 3000; ++i) to.raw("0123456789");
        EXPECT_EQ(to.size(), 30000u);
        EXPECT_EQ(to.bytes().substr(29990), "0123456789");
    }
}

TEST(Attributes, AreTheBytesOfLibprotobuf) {
    backward_writer ours;
    write_attribute(ours, 1, "real", 0.1);
    write_attribute(ours, 1, "integer", std::int64_t{-7});
    write_attribute(ours, 1, "no", false);
    write_attribute(ours, 1, "yes", true);
    write_attribute(ours, 1, "empty", "");
    write_attribute(ours, 1, "text", std::string_view("a\0\xc3\xa4", 4));
    Resource theirs;
    const auto add = [&](const char* key) {
        KeyValue* made = theirs.add_attributes();
        made->set_key(key);
        return made->mutable_value();
    };
    add("text")->set_string_value(std::string("a\0\xc3\xa4", 4));
    add("empty")->set_string_value("");
    add("yes")->set_bool_value(true);
    add("no")->set_bool_value(false);
    add("integer")->set_int_value(-7);
    add("real")->set_double_value(0.1);
    EXPECT_EQ(ours.bytes(), theirs.SerializeAsString());
}

std::string encoded(std::uint32_t field, std::string_view key, std::string_view value) {
    backward_writer to;
    write_attribute(to, field, key, value);
    return std::string(to.bytes());
}

class HistogramWriter : public ::testing::TestWithParam<std::size_t> {};

// Bounds of 0 to 40: their bytes pass the sizes at which a length takes a byte more.
TEST_P(HistogramWriter, WritesTheBytesOfLibprotobuf) {
    std::vector<double> bounds(GetParam());
    std::iota(bounds.begin(), bounds.end(), 0.5);
    std::vector<std::uint64_t> buckets(bounds.size() + 1);
    std::iota(buckets.begin(), buckets.end(), 1000);
    for (const std::string& text : {std::string("v"), std::string(1024, 'x')}) {
        for (const bool extremes : {true, false}) {
            Histogram message;
            auto* point = message.add_data_points();
            auto* attribute = point->add_attributes();
            attribute->set_key("k");
            attribute->mutable_value()->set_string_value(text);
            point->set_start_time_unix_nano(123456789);
            point->set_time_unix_nano(1792000000000000000);
            point->set_count(77);
            point->set_sum(-0.25);
            for (const auto bucket : buckets) point->add_bucket_counts(bucket);
            for (const auto bound : bounds) point->add_explicit_bounds(bound);
            if (extremes) {
                point->set_min(0);  // set, though it is the default
                point->set_max(std::numeric_limits<double>::max());
            }

            histogram_writer writer(bounds);
            writer.set_times({123456789, 1792000000000000000});
            const histogram_writer::min_max ends{0, std::numeric_limits<double>::max()};
            backward_writer ours;
            writer.write(ours, 77, -0.25, buckets.data(), encoded(9, "k", text),
                         extremes ? &ends : nullptr);
            EXPECT_EQ(ours.bytes(), message.SerializeAsString());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Bounds, HistogramWriter,
                         ::testing::Range(std::size_t{0}, std::size_t{41}));

TEST(NumberPoint, IsTheBytesOfLibprotobuf) {
    Gauge theirs;
    const auto add = [&](const char* value) {
        NumberDataPoint* point = theirs.add_data_points();
        auto* attribute = point->add_attributes();
        attribute->set_key("k");
        attribute->mutable_value()->set_string_value(value);
        point->set_time_unix_nano(9);
        return point;
    };
    add("zero")->set_as_int(0);
    add("least")->set_as_int(std::numeric_limits<std::int64_t>::min());
    NumberDataPoint* real = add("real");
    real->set_as_double(0.5);
    real->set_start_time_unix_nano(5);

    backward_writer ours;
    write_number_point(ours, {5, 9}, 0.5, encoded(7, "k", "real"));
    write_number_point(ours, {0, 9}, std::numeric_limits<std::int64_t>::min(),
                       encoded(7, "k", "least"));
    write_number_point(ours, {0, 9}, std::int64_t{0}, encoded(7, "k", "zero"));
    EXPECT_EQ(ours.bytes(), theirs.SerializeAsString());
}

TEST(Envelope, IsTheBytesOfLibprotobuf) {
    metrics_request theirs;
    auto* resource = theirs.add_resource_metrics();
    const auto add = [&](const char* key) {
        auto* made = resource->mutable_resource()->add_attributes();
        made->set_key(key);
        return made->mutable_value();
    };
    add("service.name")->set_string_value("gym");
    add("process.pid")->set_int_value(42);
    add("bad")->set_string_value("\xef\xbf\xbd");
    auto* scope = resource->add_scope_metrics();
    scope->mutable_scope()->set_name("scope");
    scope->mutable_scope()->set_version("1.2.3");
    auto* metric = scope->add_metrics();
    metric->set_name("name");
    metric->set_description("description");
    metric->set_unit("ms");
    metric->mutable_gauge();

    backward_writer ours;
    close_metric(ours, field::metric::gauge, {"name", "description", "ms"}, 0);
    close_request(
        ours, encode_resource({{"service.name", "gym"}, {"process.pid", "42"}, {"bad", "\xff"}}),
        encode_scope("scope", "1.2.3"));
    EXPECT_EQ(ours.bytes(), theirs.SerializeAsString());
}

TEST(Envelope, AProcessIdThatIsNoNumberStaysText) {
    opentelemetry::proto::metrics::v1::ResourceMetrics read;
    ASSERT_TRUE(read.ParseFromString(encode_resource({{"process.pid", "4x"}})));
    EXPECT_EQ(read.resource().attributes(0).value().string_value(), "4x");
}

}  // namespace
}  // namespace gym::telemetry::otlp
