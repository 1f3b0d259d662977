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

// google.protobuf.Duration; what is beyond a hundred years is that.
std::chrono::milliseconds read_duration(protozero::pbf_reader message) {
    constexpr std::uint32_t seconds_field = 1, nanos_field = 2;
    constexpr std::int64_t longest_s = std::int64_t{100} * 366 * 86400;
    std::int64_t seconds = 0, nanos = 0;
    while (message.next()) {
        if (message.wire_type() != protozero::pbf_wire_type::varint)
            message.skip();
        else if (message.tag() == seconds_field)
            seconds = std::clamp<std::int64_t>(message.get_int64(), 0, longest_s);
        else if (message.tag() == nanos_field)
            nanos = std::clamp<std::int64_t>(message.get_int32(), 0, 999'999'999);
        else
            message.skip();
    }
    return std::chrono::seconds(seconds) + std::chrono::milliseconds(nanos / 1'000'000);
}

// What the field of this number and of a length holds, for the last of them.
std::optional<protozero::pbf_reader> find_message(protozero::pbf_reader in, std::uint32_t field) {
    std::optional<protozero::pbf_reader> found;
    while (in.next()) {
        if (in.tag_and_type() ==
            protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited))
            found = in.get_message();
        else
            in.skip();
    }
    return found;
}

// The message in a google.protobuf.Any, when it is a RetryInfo.
std::optional<protozero::pbf_reader> retry_info_in(protozero::pbf_reader any) {
    constexpr std::uint32_t type_field = 1, value_field = 2;
    bool is_retry_info = false;
    protozero::pbf_reader value;  // none is an empty message
    while (any.next()) {
        if (any.wire_type() != protozero::pbf_wire_type::length_delimited)
            any.skip();
        else if (any.tag() == type_field)
            is_retry_info = any.get_string().ends_with("/google.rpc.RetryInfo");
        else if (any.tag() == value_field)
            value = any.get_message();
        else
            any.skip();
    }
    return is_retry_info ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string presentable(std::string_view text) {
    char buffer[telemetry::detail::attribute_size_max];
    std::string result(telemetry::detail::normalize_text(text, buffer));
    std::ranges::replace_if(
        result, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return result;
}

std::optional<std::chrono::milliseconds> read_retry_delay(std::string_view status) {
    constexpr std::uint32_t details_field = 3, delay_field = 1;
    try {
        protozero::pbf_reader message(status.data(), status.size());
        while (message.next()) {
            if (message.tag_and_type() !=
                protozero::tag_and_type(details_field,
                                        protozero::pbf_wire_type::length_delimited)) {
                message.skip();
                continue;
            }
            const auto info = retry_info_in(message.get_message());
            if (!info) continue;
            const auto delay = find_message(*info, delay_field);
            return delay ? read_duration(*delay) : std::chrono::milliseconds(0);
        }
    } catch (const protozero::exception&) {
        return std::nullopt;
    }
    return std::nullopt;
}

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
