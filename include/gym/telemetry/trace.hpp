// SPDX-License-Identifier: Apache-2.0
//
// Finished spans: enough for startup timelines and rollouts, not a tracing SDK. A call site keeps
// its own times and hands the span over when it is complete.
//
//     const auto context = gym::telemetry::new_span_context(parent);
//     ...
//     gym::telemetry::finish_span({.name = "gym.server.startup", .context = context,
//                                  .parent = parent.span, .start_ns = begin, .end_ns = end});
//
// A call site asks its span group's gate first (gates.hpp); these functions ask none.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gym::telemetry {

// Ids as W3C Trace Context has them. All zero is none.
struct trace_id {
    std::array<std::uint8_t, 16> bytes{};
    bool operator==(const trace_id&) const = default;
};
struct span_id {
    std::array<std::uint8_t, 8> bytes{};
    bool operator==(const span_id&) const = default;
};

// What names a span to others.
struct span_context {
    trace_id trace{};
    span_id span{};
    bool sampled = true;  // a span whose context is not sampled is not exported

    bool is_valid() const noexcept { return trace != trace_id{} && span != span_id{}; }
    bool operator==(const span_context&) const = default;
};

// Numbers as in OTLP.
enum class span_kind : std::uint8_t { internal = 1, server, client, producer, consumer };
enum class span_status : std::uint8_t { unset, ok, error };

using span_attribute_value = std::variant<std::string, bool, std::int64_t, double>;

struct finished_span {
    std::string name;
    span_kind kind = span_kind::internal;
    span_context context{};
    span_id parent{};           // none: a root
    std::int64_t start_ns = 0;  // wall clock, since the epoch
    std::int64_t end_ns = 0;    // one before start_ns is taken as start_ns
    std::vector<std::pair<std::string, span_attribute_value>> attributes{};
    span_status status = span_status::unset;
    std::string
        status_message{};  // with span_status::error only; never text of a prompt or command
};

// A context with a fresh random span id, in the trace of `parent` (and sampled as it is), or in a
// trace of its own when that is not valid. Any thread.
GYM_TELEMETRY_API span_context new_span_context(const span_context& parent = {}) noexcept;

// W3C `traceparent`: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, lower case. Later versions
// are read as far as version 00 goes, as the recommendation says. None for anything else.
GYM_TELEMETRY_API std::optional<span_context> parse_traceparent(std::string_view text) noexcept;
GYM_TELEMETRY_API std::string format_traceparent(const span_context& context);

// Hands a span over for export. A no-op while traces are off, and for a context that is not valid
// or not sampled. Attribute values and the name follow the rules of attribute text (UTF-8, at most
// 1,024 bytes); at most 128 attributes are kept. When the exporter is so far behind that 2,048
// spans wait, the span is dropped and counted; one diagnostic says so. Never throws, never blocks
// on I/O. Any thread.
GYM_TELEMETRY_API void finish_span(finished_span span) noexcept;

// The spans finished since the last call, oldest first, while the memory exporter is in use (tests,
// tools). Empty otherwise. Any thread.
GYM_TELEMETRY_API std::vector<finished_span> collect_spans();

}  // namespace gym::telemetry
