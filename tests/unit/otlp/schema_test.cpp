// SPDX-License-Identifier: Apache-2.0
//
// The table of fields against the descriptors of Debian's .proto files, both ways.
#include "otlp/schema.hpp"

#include <map>
#include <set>
#include <string>

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>
#include <opentelemetry/proto/collector/trace/v1/trace_service.pb.h>

namespace gym::telemetry::otlp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::string type_name(field_type type) {
    switch (type) {
        case field_type::message:
            return "message";
        case field_type::text:
            return "string";
        case field_type::bytes:
        case field_type::id:
            return "bytes";
        case field_type::real:
            return "double";
        case field_type::boolean:
            return "bool";
        case field_type::number:
            return "uint32";
        case field_type::integer:
            return "int64";
        case field_type::natural:
            return "uint64";
        case field_type::zigzag:
            return "sint32";
        case field_type::choice:
            return "enum";
        case field_type::fixed32:
            return "fixed32";
        case field_type::fixed64:
            return "fixed64";
        case field_type::sfixed64:
            return "sfixed64";
    }
    return "?";
}

// Every message that can be reached, by name.
void walk(const message_row& row, std::map<std::string, const message_row*>& to) {
    if (!to.emplace(row.name, &row).second) return;
    for (const field_row& field : row.fields)
        if (field.message != nullptr) walk(*field.message, to);
}

void walk(const Descriptor* type, std::set<std::string>& to) {
    if (!to.insert(std::string(type->full_name())).second) return;
    for (int i = 0; i < type->field_count(); ++i)
        if (type->field(i)->message_type() != nullptr) walk(type->field(i)->message_type(), to);
}

const Descriptor* roots[] = {
    opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest::descriptor(),
    opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceResponse::descriptor(),
    opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest::descriptor(),
    opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse::descriptor()};

std::map<std::string, const message_row*> table() {
    std::map<std::string, const message_row*> result;
    walk(metrics_request_message, result);
    walk(metrics_response_message, result);
    walk(traces_request_message, result);
    walk(traces_response_message, result);
    return result;
}

TEST(Schema, HoldsEveryMessageOfTheProtoFiles) {
    std::set<std::string> theirs;
    for (const Descriptor* root : roots) walk(root, theirs);
    std::set<std::string> ours;
    for (const auto& [name, row] : table()) ours.insert(name);
    // EntityRef is newer than some releases of the .proto files.
    if (!theirs.contains("opentelemetry.proto.common.v1.EntityRef"))
        ours.erase("opentelemetry.proto.common.v1.EntityRef");
    EXPECT_EQ(ours, theirs);
}

void expect_same(const field_row& ours, const FieldDescriptor* theirs) {
    EXPECT_EQ(ours.json, theirs->json_name());
    EXPECT_EQ(type_name(ours.type), theirs->type_name());
    EXPECT_EQ(ours.repeated, theirs->is_repeated());
    if (theirs->message_type() != nullptr) {
        EXPECT_EQ(ours.message->name, theirs->message_type()->full_name());
    }
}

TEST(Schema, HoldsEveryFieldOfEveryMessage) {
    const auto* pool = google::protobuf::DescriptorPool::generated_pool();
    for (const auto& [name, row] : table()) {
        SCOPED_TRACE(name);
        const Descriptor* theirs = pool->FindMessageTypeByName(name);
        if (theirs == nullptr && name.ends_with("EntityRef")) continue;
        ASSERT_NE(theirs, nullptr);
        std::set<int> numbers;
        for (const field_row& field : row->fields) {
            SCOPED_TRACE(field.json);
            numbers.insert(static_cast<int>(field.number));
            const FieldDescriptor* other =
                theirs->FindFieldByNumber(static_cast<int>(field.number));
            if (other == nullptr && field.json == "entityRefs") continue;
            ASSERT_NE(other, nullptr);
            expect_same(field, other);
        }
        for (int i = 0; i < theirs->field_count(); ++i)
            EXPECT_TRUE(numbers.contains(theirs->field(i)->number())) << theirs->field(i)->name();
    }
}

TEST(Schema, FieldsStandInTheOrderOfTheirNumbers) {
    for (const auto& [name, row] : table())
        EXPECT_TRUE(std::ranges::is_sorted(row->fields, {}, &field_row::number)) << name;
}

}  // namespace
}  // namespace gym::telemetry::otlp
