// SPDX-License-Identifier: Apache-2.0
//
// Where finished spans wait: for the export thread, and in memory for those who read them.
#pragma once

#include <gym/telemetry/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gym::telemetry::detail {

inline constexpr std::size_t waiting_spans_max = 2048;
inline constexpr std::size_t span_attributes_max = 128;

// Somebody else's tracer. Any thread, no lock held; what it throws costs that span only.
class span_sink {
public:
    virtual ~span_sink() = default;
    virtual void finish(const finished_span& span) = 0;
};

// Where finish_span puts spans. Nothing is kept of what the old routes held when they change:
// init sets them, shutdown sets none, and a forked child begins with none of its parent's spans.
// A child has no foreign sink either. A span that is on its way to a sink may still reach it.
enum span_routes : std::uint8_t {
    no_spans = 0,
    spans_to_exporters = 1,
    spans_to_memory = 2,
    spans_to_foreign = 4,  // set with a sink
};
void set_span_routes(std::uint8_t routes, std::shared_ptr<span_sink> foreign = nullptr) noexcept;

// Takes up to `most` spans that wait for export, oldest first.
std::vector<finished_span> take_spans(std::size_t most);

// Spans dropped because the queue was full, since the process began.
std::uint64_t dropped_spans() noexcept;

}  // namespace gym::telemetry::detail
