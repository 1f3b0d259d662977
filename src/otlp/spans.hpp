// SPDX-License-Identifier: Apache-2.0
//
// Span messages from plain pieces.
#pragma once

#include "otlp/backward_writer.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gym::telemetry::otlp {

struct span_fields {
    std::span<const std::uint8_t, 16> trace_id;
    std::span<const std::uint8_t, 8> span_id;
    std::span<const std::uint8_t> parent_span_id;  // empty: a root
    std::string_view name;
    std::uint8_t kind;
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::uint8_t status_code;  // 0 unset, 1 ok, 2 error
    std::string_view status_message;
    bool sampled;
};

// The attributes of a span are written first, as field::span::attributes; then this writes the rest
// and makes a Span in its scope of what was written since size() was `end`. The status stands
// behind the attributes, so it is written before them.
void write_span_status(backward_writer& to, const span_fields& span);
void close_span(backward_writer& to, const span_fields& span, std::size_t end);

}  // namespace gym::telemetry::otlp
