// SPDX-License-Identifier: Apache-2.0
#include "otlp/json.hpp"
#include "otlp/json_text.hpp"

#include <charconv>
#include <cstdint>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

namespace gym::telemetry::otlp {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

pbf_wire_type wire_of(field_type type) noexcept {
    switch (type) {
        case field_type::message:
        case field_type::text:
        case field_type::bytes:
        case field_type::id:
            return pbf_wire_type::length_delimited;
        case field_type::boolean:
        case field_type::number:
        case field_type::integer:
        case field_type::natural:
        case field_type::zigzag:
        case field_type::choice:
            return pbf_wire_type::varint;
        case field_type::fixed32:
            return pbf_wire_type::fixed32;
        case field_type::real:
        case field_type::fixed64:
        case field_type::sfixed64:
            return pbf_wire_type::fixed64;
    }
    return pbf_wire_type::unknown;
}

template <class Number>
void append_integer(Number value, std::string& to) {
    char text[24];
    to.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

template <class Number>
void append_quoted(Number value, std::string& to) {
    to += '"';
    append_integer(value, to);
    to += '"';
}

std::string_view view_of(pbf_reader& at) {
    const protozero::data_view view = at.get_view();
    return {view.data(), view.size()};
}

bool write_message(const message_row& type, pbf_reader message, int depth, std::string& to);

// The value that the reader stands at.
bool write_value(const field_row& field, pbf_reader& at, int depth, std::string& to) {
    switch (field.type) {
        case field_type::message:
            return write_message(*field.message, at.get_message(), depth + 1, to);
        case field_type::text:
            append_json_string(view_of(at), to);
            break;
        case field_type::bytes:
            to += '"';
            append_base64(view_of(at), to);
            to += '"';
            break;
        case field_type::id:
            to += '"';
            append_hex(view_of(at), to);
            to += '"';
            break;
        case field_type::real:
            append_json_number(at.get_double(), to);
            break;
        case field_type::boolean:
            to += at.get_bool() ? "true" : "false";
            break;
        case field_type::number:
            append_integer(at.get_uint32(), to);
            break;
        case field_type::integer:
            append_quoted(at.get_int64(), to);
            break;
        case field_type::natural:
            append_quoted(at.get_uint64(), to);
            break;
        case field_type::zigzag:
            append_integer(at.get_sint32(), to);
            break;
        case field_type::choice:
            append_integer(at.get_enum(), to);
            break;
        case field_type::fixed32:
            append_integer(at.get_fixed32(), to);
            break;
        case field_type::fixed64:
            append_quoted(at.get_fixed64(), to);
            break;
        case field_type::sfixed64:
            append_quoted(at.get_sfixed64(), to);
            break;
    }
    return true;
}

// Numbers that stand together behind one tag.
bool write_packed(const field_row& field, pbf_reader& at, std::string& to) {
    bool first = true;
    const auto each = [&](auto values, auto append) {
        for (const auto value : values) {
            if (!first) to += ',';
            first = false;
            append(value, to);
        }
    };
    switch (field.type) {
        case field_type::real:
            each(at.get_packed_double(), append_json_number);
            return true;
        case field_type::fixed64:
            each(at.get_packed_fixed64(), append_quoted<std::uint64_t>);
            return true;
        case field_type::natural:
            each(at.get_packed_uint64(), append_quoted<std::uint64_t>);
            return true;
        default:
            return false;  // no other type is repeated and packed in OTLP
    }
}

bool is_packable(field_type type) noexcept {
    return wire_of(type) != pbf_wire_type::length_delimited;
}

// All elements of a repeated field, wherever in the message they stand.
bool write_repeated(const field_row& field, pbf_reader message, int depth, std::string& to) {
    bool first = true;
    to += '[';
    while (message.next(field.number)) {
        const bool packed =
            is_packable(field.type) && message.wire_type() == pbf_wire_type::length_delimited;
        if (!packed && message.wire_type() != wire_of(field.type)) {
            message.skip();
            continue;
        }
        if (!first) to += ',';
        first = false;
        const std::size_t before = to.size();
        if (packed ? !write_packed(field, message, to) : !write_value(field, message, depth, to))
            return false;
        if (to.size() == before) {  // packed and empty
            first = before > 0 && to.back() == '[';
            if (!first) to.pop_back();
        }
    }
    to += ']';
    return true;
}

// Of several values of a field that holds one the last one counts.
bool write_single(const field_row& field, pbf_reader message, int depth, std::string& to) {
    const std::size_t begin = to.size();
    while (message.next(field.number)) {
        if (message.wire_type() != wire_of(field.type)) {
            message.skip();
            continue;
        }
        to.resize(begin);
        if (!write_value(field, message, depth, to)) return false;
    }
    return true;
}

// Bit n: the field of that number is there, with a type that fits or may be packed.
std::uint64_t fields_in(const message_row& type, pbf_reader message) {
    std::uint64_t found = 0;
    while (message.next()) {
        for (const field_row& field : type.fields)
            if (field.number == message.tag() &&
                (message.wire_type() == wire_of(field.type) ||
                 (field.repeated && is_packable(field.type) &&
                  message.wire_type() == pbf_wire_type::length_delimited)))
                found |= std::uint64_t{1} << field.number;
        message.skip();
    }
    return found;
}

bool write_message(const message_row& type, pbf_reader message, int depth, std::string& to) {
    if (depth > depth_max) return false;
    const std::uint64_t present = fields_in(type, message);
    bool first = true;
    to += '{';
    for (const field_row& field : type.fields) {
        if ((present >> field.number & 1) == 0) continue;
        if (!first) to += ',';
        first = false;
        to += '"';
        to += field.json;
        to += "\":";
        if (field.repeated ? !write_repeated(field, message, depth, to)
                           : !write_single(field, message, depth, to))
            return false;
    }
    to += '}';
    return true;
}

}  // namespace

bool append_json(const message_row& type, std::string_view protobuf, std::string& to) {
    try {
        return write_message(type, pbf_reader(protobuf.data(), protobuf.size()), 0, to);
    } catch (const protozero::exception&) {
        return false;
    }
}

}  // namespace gym::telemetry::otlp
