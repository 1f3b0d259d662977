// SPDX-License-Identifier: Apache-2.0
#include "otlp/spans.hpp"

#include "otlp/fields.hpp"

namespace gym::telemetry::otlp {

namespace {

std::string_view as_text(std::span<const std::uint8_t> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void write_span_status(backward_writer& to, const span_fields& span) {
    // Flags of W3C: bit 0 is sampled. Whether the parent is remote is not known here.
    if (span.sampled) to.fixed32(field::span::flags, 1);
    if (span.status_code == 0) return;
    const std::size_t end = to.size();
    to.number(field::status::code, span.status_code);
    if (!span.status_message.empty()) to.text(field::status::message, span.status_message);
    to.enclose(field::span::status, end);
}

void close_span(backward_writer& to, const span_fields& span, std::size_t end) {
    to.fixed64(field::span::end_time, static_cast<std::uint64_t>(span.end_ns));
    to.fixed64(field::span::start_time, static_cast<std::uint64_t>(span.start_ns));
    to.number(field::span::kind, span.kind);
    to.text(field::span::name, span.name);
    if (!span.parent_span_id.empty())
        to.text(field::span::parent_span_id, as_text(span.parent_span_id));
    to.text(field::span::span_id, as_text(span.span_id));
    to.text(field::span::trace_id, as_text(span.trace_id));
    to.enclose(field::per_scope::items, end);
}

}  // namespace gym::telemetry::otlp
