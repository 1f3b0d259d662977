// SPDX-License-Identifier: Apache-2.0
//
// Where finished spans wait: for the export thread, and in memory for those who read them.
#pragma once

#include <gym/telemetry/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gym::telemetry::detail {

inline constexpr std::size_t waiting_spans_max = 2048;
inline constexpr std::size_t span_attributes_max = 128;

// Where finish_span puts spans. Nothing is kept of what the old routes held when they change:
// init sets them, shutdown sets none, and a forked child begins with none of its parent's spans.
enum span_routes : std::uint8_t { no_spans = 0, spans_to_exporters = 1, spans_to_memory = 2 };
void set_span_routes(std::uint8_t routes) noexcept;

// Takes up to `most` spans that wait for export, oldest first.
std::vector<finished_span> take_spans(std::size_t most);

// Spans dropped because the queue was full, since the process began.
std::uint64_t dropped_spans() noexcept;

}  // namespace gym::telemetry::detail
