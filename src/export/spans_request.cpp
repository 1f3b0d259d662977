// SPDX-License-Identifier: Apache-2.0
#include "export/spans_request.hpp"

#include "otlp/attributes.hpp"
#include "otlp/envelope.hpp"
#include "otlp/spans.hpp"

#include <ranges>

namespace gym::telemetry::detail {

namespace {

otlp::span_fields fields_of(const finished_span& span) {
    const bool root = span.parent == span_id{};
    return {.trace_id = span.context.trace.bytes,
            .span_id = span.context.span.bytes,
            .parent_span_id = root ? std::span<const std::uint8_t>{}
                                   : std::span<const std::uint8_t>(span.parent.bytes),
            .name = span.name,
            .kind = static_cast<std::uint8_t>(span.kind),
            .start_ns = span.start_ns,
            .end_ns = span.end_ns,
            .status_code = static_cast<std::uint8_t>(span.status),
            // By the specification a description goes with an error only.
            .status_message = span.status == span_status::error
                                  ? std::string_view(span.status_message)
                                  : std::string_view(),
            .sampled = span.context.sampled};
}

void write_span(otlp::backward_writer& to, const finished_span& span) {
    const otlp::span_fields fields = fields_of(span);
    const std::size_t end = to.size();
    otlp::write_span_status(to, fields);
    for (const auto& [key, value] : span.attributes | std::views::reverse)
        std::visit(
            [&to, &name = key](const auto& v) {
                otlp::write_attribute(to, otlp::field::span::attributes, name, v);
            },
            value);
    otlp::close_span(to, fields, end);
}

}  // namespace

std::string write_spans_request(const request_envelope& envelope,
                                std::span<const finished_span> spans) {
    otlp::backward_writer to;
    for (const finished_span& span : spans | std::views::reverse) write_span(to, span);
    otlp::close_request(to, envelope.resource, envelope.scope);
    return std::string(to.bytes());
}

}  // namespace gym::telemetry::detail
