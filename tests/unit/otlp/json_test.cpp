// SPDX-License-Identifier: Apache-2.0
//
// JSON against libprotobuf's own, over messages with every field set by reflection.
#include "otlp/json.hpp"

#include <regex>
#include <string>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>
#include <opentelemetry/proto/collector/trace/v1/trace_service.pb.h>

namespace gym::telemetry::otlp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using metrics_request = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;
using metrics_response = opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceResponse;
using traces_request = opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;

// Sets every field, repeated ones twice, with values that differ from field to field. Of a oneof
// the field numbered `choice` modulo its size.
class filler {
public:
    explicit filler(int choice) : choice_(choice) {}

    void fill(Message& message, int depth = 0) {
        const Descriptor* type = message.GetDescriptor();
        for (int i = 0; i < type->field_count(); ++i) {
            const FieldDescriptor* field = type->field(i);
            const auto* choices = field->real_containing_oneof();
            if (choices != nullptr && choices->field(choice_ % choices->field_count()) != field)
                continue;
            if (depth > 12) continue;
            for (int n = 0; n < (field->is_repeated() ? 2 : 1); ++n) set(message, field, depth);
        }
    }

private:
    template <class Value, class Set, class Add>
    void put(Message& message, const FieldDescriptor* field, Set set, Add add, Value value) {
        const auto* reflection = message.GetReflection();
        if (field->is_repeated())
            (reflection->*add)(&message, field, value);
        else
            (reflection->*set)(&message, field, value);
    }

    void set(Message& message, const FieldDescriptor* field, int depth) {
        using google::protobuf::Reflection;
        ++next_;
        switch (field->cpp_type()) {
            case FieldDescriptor::CPPTYPE_MESSAGE: {
                const auto* r = message.GetReflection();
                fill(field->is_repeated() ? *r->AddMessage(&message, field)
                                          : *r->MutableMessage(&message, field),
                     depth + 1);
                break;
            }
            case FieldDescriptor::CPPTYPE_STRING:
                put(message, field, &Reflection::SetString, &Reflection::AddString,
                    std::string("\"\\\n\x01 \xc3\xa4 ") + std::to_string(next_));
                break;
            case FieldDescriptor::CPPTYPE_DOUBLE:
                put(message, field, &Reflection::SetDouble, &Reflection::AddDouble,
                    next_ * 0.1 * (next_ % 3 == 0 ? -1e300 : 1));
                break;
            case FieldDescriptor::CPPTYPE_BOOL:
                put(message, field, &Reflection::SetBool, &Reflection::AddBool, true);
                break;
            case FieldDescriptor::CPPTYPE_UINT32:
                put(message, field, &Reflection::SetUInt32, &Reflection::AddUInt32,
                    std::uint32_t(0) - static_cast<std::uint32_t>(next_));
                break;
            case FieldDescriptor::CPPTYPE_INT32:
                put(message, field, &Reflection::SetInt32, &Reflection::AddInt32, -next_);
                break;
            case FieldDescriptor::CPPTYPE_UINT64:
                put(message, field, &Reflection::SetUInt64, &Reflection::AddUInt64,
                    std::uint64_t(0) - static_cast<std::uint64_t>(next_));
                break;
            case FieldDescriptor::CPPTYPE_INT64:
                put(message, field, &Reflection::SetInt64, &Reflection::AddInt64,
                    std::int64_t{-5'000'000'000} - next_);
                break;
            case FieldDescriptor::CPPTYPE_ENUM:
                message.GetReflection()->SetEnumValue(&message, field, 2);
                break;
            default:
                FAIL() << field->full_name();
        }
    }

    int choice_;
    int next_ = 0;
};

template <class Request>
Request full_message(int choice) {
    Request request;
    filler(choice).fill(request);
    return request;
}

// Ids are base64 in libprotobuf's JSON and hexadecimal in OTLP's, so they are left out of the
// comparison with it; IdsAreHexadecimal has them.
void clear_ids(Message& message) {
    const auto* reflection = message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (field->type() == FieldDescriptor::TYPE_BYTES && field->name() != "bytes_value") {
            reflection->ClearField(&message, field);
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            if (!field->is_repeated()) clear_ids(*reflection->MutableMessage(&message, field));
            for (int i = 0; field->is_repeated() && i < reflection->FieldSize(message, field); ++i)
                clear_ids(*reflection->MutableRepeatedMessage(&message, field, i));
        }
    }
}

template <class Request>
void expect_json_reads_back(const message_row& type, int choice) {
    SCOPED_TRACE(choice);
    Request request = full_message<Request>(choice);
    std::string ours;
    ASSERT_TRUE(append_json(type, request.SerializeAsString(), ours));
    EXPECT_EQ(ours.find('\n'), ours.npos);

    const auto back = from_json(type, ours);
    ASSERT_TRUE(back) << back.failure().text;
    EXPECT_EQ(*back, request.SerializeAsString()) << "the same bytes again";

    clear_ids(request);
    ours.clear();
    ASSERT_TRUE(append_json(type, request.SerializeAsString(), ours));
    Request theirs;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(ours, &theirs).ok()) << ours;
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(request, theirs));

    std::string their_json;
    google::protobuf::util::JsonPrintOptions options;
    options.always_print_enums_as_ints = true;
    ASSERT_TRUE(google::protobuf::util::MessageToJsonString(request, &their_json, options).ok());
    const auto read = from_json(type, their_json);
    ASSERT_TRUE(read) << read.failure().text;
    Request again;
    ASSERT_TRUE(again.ParseFromString(*read));
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(request, again));
}

TEST(OtlpJson, MetricsWithEveryFieldReadBackInLibprotobufAndHere) {
    for (int choice = 0; choice < 7; ++choice)
        expect_json_reads_back<metrics_request>(metrics_request_message, choice);
}

TEST(OtlpJson, TracesWithEveryFieldReadBackInLibprotobufAndHere) {
    for (int choice = 0; choice < 7; ++choice)
        expect_json_reads_back<traces_request>(traces_request_message, choice);
}

TEST(OtlpJson, ResponsesReadBack) {
    expect_json_reads_back<metrics_response>(metrics_response_message, 0);
}

TEST(OtlpJson, IdsAreHexadecimal) {
    traces_request request;
    auto* span = request.add_resource_spans()->add_scope_spans()->add_spans();
    span->set_trace_id(std::string("\x01\xab\xff", 3));
    std::string json;
    ASSERT_TRUE(append_json(traces_request_message, request.SerializeAsString(), json));
    EXPECT_EQ(json, R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01abff"}]}]}]})");
    EXPECT_EQ(*from_json(traces_request_message, json), request.SerializeAsString());
}

TEST(OtlpJson, SpecialNumbersAreText) {
    metrics_request request;
    auto* points =
        request.add_resource_metrics()->add_scope_metrics()->add_metrics()->mutable_gauge();
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()})
        points->add_data_points()->set_as_double(value);
    std::string json;
    ASSERT_TRUE(append_json(metrics_request_message, request.SerializeAsString(), json));
    EXPECT_NE(json.find(R"([{"asDouble":"NaN"},{"asDouble":"Infinity"},{"asDouble":"-Infinity"}])"),
              json.npos);
    EXPECT_EQ(*from_json(metrics_request_message, json), request.SerializeAsString());
}

TEST(OtlpJson, IntegersMayBeNumbersAndNullIsAbsent) {
    const auto text =
        from_json(metrics_response_message,
                  R"({"partialSuccess":{"rejectedDataPoints":"7","errorMessage":null}})");
    const auto number =
        from_json(metrics_response_message, R"({"partialSuccess":{"rejectedDataPoints":7}})");
    ASSERT_TRUE(text);
    ASSERT_TRUE(number);
    EXPECT_EQ(*text, *number);
}

TEST(OtlpJson, UnknownFieldsAreIgnored) {
    const auto read = from_json(metrics_request_message,
                                R"({"new":[1,{"deep":null}],"resourceMetrics":[{"x":"y"}]})");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, std::string("\x0a\x00", 2));
}

TEST(OtlpJson, RefusesWhatIsNoMessage) {
    for (const char* bad :
         {"", "[]", "7", "{", "{}{}", R"({"resourceMetrics":{}})", R"({"resourceMetrics":[7]})",
          R"({"resourceMetrics":[{"resource":[]}]})", R"({"resourceMetrics":[{"schemaUrl":7}]})"})
        EXPECT_FALSE(from_json(metrics_request_message, bad)) << bad;
    EXPECT_FALSE(
        from_json(metrics_response_message, R"({"partialSuccess":{"rejectedDataPoints":"7x"}})"));
    EXPECT_FALSE(
        from_json(metrics_response_message, R"({"partialSuccess":{"rejectedDataPoints":1.5}})"));
}

TEST(OtlpJson, RefusesProtobufThatIsNoMessage) {
    std::string json;
    EXPECT_FALSE(append_json(metrics_request_message, "\x0a\x7f", json));
    EXPECT_FALSE(append_json(metrics_request_message, "\xff\xff", json));
}

std::string nested_value(int depth) {
    std::string open;
    std::string close;
    for (int i = 0; i < depth; ++i) {
        open += R"({"arrayValue":{"values":[)";
        close += "]}}";
    }
    return R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"k","value":)" + open +
           R"({"boolValue":true})" + close + "}]}}]}";
}

TEST(OtlpJson, RefusesValuesThatAreNestedTooDeep) {
    EXPECT_TRUE(from_json(metrics_request_message, nested_value(20)));
    EXPECT_FALSE(from_json(metrics_request_message, nested_value(200)));
    std::string deep;  // the same in protobuf: AnyValue in ArrayValue, 200 deep
    for (int i = 0; i < 200; ++i) {
        for (const int tag : {0x0a, 0x2a}) {
            std::string head(1, static_cast<char>(tag));
            head += static_cast<char>(deep.size() % 128 | 128);
            head += static_cast<char>(deep.size() / 128);
            deep = head + deep;
        }
    }
    const std::string value = "\x12" + std::string(1, static_cast<char>(deep.size() % 128 | 128)) +
                              std::string(1, static_cast<char>(deep.size() / 128)) + deep;
    std::string json;
    opentelemetry::proto::resource::v1::Resource resource;
    EXPECT_FALSE(append_json(
        *metrics_request_message.fields[0].message->fields[0].message->fields[0].message, value,
        json));
}

}  // namespace
}  // namespace gym::telemetry::otlp
