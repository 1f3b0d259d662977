// SPDX-License-Identifier: Apache-2.0
#include "otlp/json.hpp"
#include "otlp/json_text.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <vector>

#include <protozero/pbf_writer.hpp>
#include <simdjson.h>

namespace gym::telemetry::otlp {

namespace {

namespace ondemand = simdjson::ondemand;
using protozero::pbf_writer;
using telemetry::detail::errc;
using telemetry::detail::result;

// Why the text is no such message. Private to this file: from_json turns it into a result.
struct bad_text {
    std::string what;
};

[[noreturn]] void refuse(const field_row& field, std::string_view what) {
    throw bad_text{std::string(field.json) + ": " + std::string(what)};
}

// A number of JSON, or a text that holds one.
template <class Number>
Number read_integer(const field_row& field, ondemand::value value) {
    std::string_view text;
    if (value.type() == ondemand::json_type::string) {
        text = value.get_string();
    } else if (value.type() == ondemand::json_type::number) {
        text = value.raw_json_token();
        while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                                 text.back() == '\t'))
            text.remove_suffix(1);
    } else {
        refuse(field, "not an integer");
    }
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || stop != end) refuse(field, "not an integer of its range");
    return number;
}

double read_real(const field_row& field, ondemand::value value) {
    if (value.type() == ondemand::json_type::number) return value.get_double();
    if (value.type() != ondemand::json_type::string) refuse(field, "not a number");
    const std::string_view text = value.get_string();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || stop != end) refuse(field, "not a number");
    return number;
}

std::string_view read_text(const field_row& field, ondemand::value value) {
    if (value.type() != ondemand::json_type::string) refuse(field, "not a text");
    return value.get_string();
}

bool read_boolean(const field_row& field, ondemand::value value) {
    if (value.type() != ondemand::json_type::boolean) refuse(field, "not a boolean");
    return value.get_bool();
}

void read_message(const message_row& type, ondemand::value value, int depth, pbf_writer& to);

void read_value(const field_row& field, ondemand::value value, int depth, pbf_writer& to) {
    switch (field.type) {
        case field_type::message: {
            // Not a writer nested in `to`, which would leave an empty message out.
            std::string inner;
            pbf_writer inner_to(inner);
            read_message(*field.message, value, depth + 1, inner_to);
            to.add_message(field.number, inner);
            break;
        }
        case field_type::text:
            to.add_string(field.number, std::string(read_text(field, value)));
            break;
        case field_type::bytes:
        case field_type::id: {
            std::string bytes;
            const std::string_view text = read_text(field, value);
            if (field.type == field_type::id ? !decode_hex(text, bytes)
                                             : !decode_base64(text, bytes))
                refuse(field, field.type == field_type::id ? "not hexadecimal" : "not base64");
            to.add_bytes(field.number, bytes);
            break;
        }
        case field_type::real:
            to.add_double(field.number, read_real(field, value));
            break;
        case field_type::boolean:
            to.add_bool(field.number, read_boolean(field, value));
            break;
        case field_type::number:
            to.add_uint32(field.number, read_integer<std::uint32_t>(field, value));
            break;
        case field_type::integer:
            to.add_int64(field.number, read_integer<std::int64_t>(field, value));
            break;
        case field_type::natural:
            to.add_uint64(field.number, read_integer<std::uint64_t>(field, value));
            break;
        case field_type::zigzag:
            to.add_sint32(field.number, read_integer<std::int32_t>(field, value));
            break;
        case field_type::choice:
            to.add_enum(field.number, read_integer<std::int32_t>(field, value));
            break;
        case field_type::fixed32:
            to.add_fixed32(field.number, read_integer<std::uint32_t>(field, value));
            break;
        case field_type::fixed64:
            to.add_fixed64(field.number, read_integer<std::uint64_t>(field, value));
            break;
        case field_type::sfixed64:
            to.add_sfixed64(field.number, read_integer<std::int64_t>(field, value));
            break;
    }
}

template <class Number, class Read>
std::vector<Number> read_numbers(const field_row& field, ondemand::array values, Read read) {
    std::vector<Number> numbers;
    for (auto value : values) numbers.push_back(read(field, value.value()));
    return numbers;
}

void read_array(const field_row& field, ondemand::value value, int depth, pbf_writer& to) {
    if (value.type() != ondemand::json_type::array) refuse(field, "not an array");
    ondemand::array values = value.get_array();
    if (field.type == field_type::real) {
        const auto numbers = read_numbers<double>(field, values, read_real);
        to.add_packed_double(field.number, numbers.begin(), numbers.end());
    } else if (field.type == field_type::fixed64) {
        const auto numbers =
            read_numbers<std::uint64_t>(field, values, read_integer<std::uint64_t>);
        to.add_packed_fixed64(field.number, numbers.begin(), numbers.end());
    } else if (field.type == field_type::natural) {
        const auto numbers =
            read_numbers<std::uint64_t>(field, values, read_integer<std::uint64_t>);
        to.add_packed_uint64(field.number, numbers.begin(), numbers.end());
    } else {
        for (auto element : values) read_value(field, element.value(), depth, to);
    }
}

const field_row* find_field(const message_row& type, std::string_view name) noexcept {
    for (const field_row& field : type.fields)
        if (field.json == name) return &field;
    return nullptr;
}

void read_message(const message_row& type, ondemand::value value, int depth, pbf_writer& to) {
    if (depth > depth_max) throw bad_text{"nested too deep"};
    if (value.type() != ondemand::json_type::object)
        throw bad_text{std::string(type.name) + " is not an object"};
    for (auto member : value.get_object()) {
        const field_row* field = find_field(type, member.unescaped_key());
        ondemand::value inner = member.value();
        if (field == nullptr || inner.is_null()) continue;
        if (field->repeated)
            read_array(*field, inner, depth, to);
        else
            read_value(*field, inner, depth, to);
    }
}

}  // namespace

result<std::string> from_json(const message_row& type, std::string_view json) {
    std::string protobuf;
    try {
        const simdjson::padded_string padded(json);
        ondemand::parser parser;
        ondemand::document document = parser.iterate(padded);
        pbf_writer to(protobuf);
        read_message(type, document.get_value(), 0, to);
        if (!document.at_end()) return {errc::invalid, "more than one value"};
        return protobuf;
    } catch (const simdjson::simdjson_error& e) {
        return {errc::invalid, std::string("not JSON: ") + e.what()};
    } catch (const bad_text& e) {
        return {errc::invalid, e.what};
    }
}

}  // namespace gym::telemetry::otlp
