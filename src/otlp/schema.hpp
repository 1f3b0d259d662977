// SPDX-License-Identifier: Apache-2.0
//
// The messages of OTLP as data: number, JSON name and type of every field. JSON is read and written
// by walking it, so a field that is in the table is in both directions. A test holds the table to
// the descriptors of Debian's .proto files, field by field.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gym::telemetry::otlp {

enum class field_type : std::uint8_t {
    message,
    text,
    bytes,  // base64 in JSON
    id,     // bytes that are hexadecimal in JSON: trace and span ids
    real,   // double
    boolean,
    number,   // uint32 as a varint
    integer,  // int64 as a varint; text in JSON, as all of 64 bits are
    natural,  // uint64 as a varint
    zigzag,   // sint32
    choice,   // enum; its number in JSON
    fixed32,
    fixed64,
    sfixed64,
};

struct message_row;

struct field_row {
    std::uint32_t number;
    std::string_view json;
    field_type type;
    bool repeated = false;
    const message_row* message = nullptr;  // of field_type::message
};

struct message_row {
    std::string_view name;  // in the .proto files, with its package
    std::span<const field_row> fields;
};

// Messages in messages; AnyValue is the only one that can hold itself.
inline constexpr int depth_max = 64;

extern const message_row metrics_request_message;
extern const message_row traces_request_message;
extern const message_row metrics_response_message;
extern const message_row traces_response_message;

}  // namespace gym::telemetry::otlp
