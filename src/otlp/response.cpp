// SPDX-License-Identifier: Apache-2.0
#include "otlp/response.hpp"

#include "base/utf8.hpp"
#include "otlp/fields.hpp"

#include <algorithm>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

namespace gym::telemetry::otlp {

namespace {

partial_success read_partial(protozero::pbf_reader message) {
    partial_success result;
    while (message.next()) {
        const auto tag = message.tag_and_type();
        if (tag ==
            protozero::tag_and_type(field::response::rejected, protozero::pbf_wire_type::varint))
            result.rejected = std::max<std::int64_t>(message.get_int64(), 0);
        else if (tag == protozero::tag_and_type(field::response::error_message,
                                                protozero::pbf_wire_type::length_delimited))
            result.message = message.get_string();
        else
            message.skip();
    }
    return result;
}

// Text of a stranger: made valid, cut, and without control characters before anybody sees it.
std::string presentable(std::string_view text) {
    char buffer[telemetry::detail::attribute_size_max];
    std::string result(telemetry::detail::normalize_text(text, buffer));
    std::ranges::replace_if(
        result, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return result;
}

}  // namespace

std::optional<partial_success> read_partial_success(std::string_view body) {
    std::optional<partial_success> result;
    try {
        protozero::pbf_reader message(body.data(), body.size());
        while (message.next()) {
            if (message.tag_and_type() ==
                protozero::tag_and_type(field::response::partial_success,
                                        protozero::pbf_wire_type::length_delimited))
                result = read_partial(message.get_message());
            else
                message.skip();
        }
    } catch (const protozero::exception&) {
        return std::nullopt;
    }
    if (result) result->message = presentable(result->message);
    return result;
}

std::string read_error_message(std::string_view body) {
    constexpr std::uint32_t message_field = 2;
    std::string result;
    try {
        protozero::pbf_reader message(body.data(), body.size());
        while (message.next()) {
            if (message.tag_and_type() ==
                protozero::tag_and_type(message_field, protozero::pbf_wire_type::length_delimited))
                result = message.get_string();
            else
                message.skip();
        }
    } catch (const protozero::exception&) {
        return {};
    }
    return presentable(result);
}

}  // namespace gym::telemetry::otlp
