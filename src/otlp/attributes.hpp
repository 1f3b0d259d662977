// SPDX-License-Identifier: Apache-2.0
//
// KeyValue messages: one attribute each, as the field `field` of whatever message holds them.
#pragma once

#include "otlp/backward_writer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gym::telemetry::otlp {

// Written before what is there, so the last attribute comes first. Text is UTF-8 already.
void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key,
                     std::string_view value);
void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key, bool value);
void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key,
                     std::int64_t value);
void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key, double value);
// A literal would become a boolean.
inline void write_attribute(backward_writer& to, std::uint32_t field, std::string_view key,
                            const char* value) {
    write_attribute(to, field, key, std::string_view(value));
}

}  // namespace gym::telemetry::otlp
