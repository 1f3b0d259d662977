// SPDX-License-Identifier: Apache-2.0
#include "startup/spans.hpp"

#include <gym/telemetry/constants.hpp>

#include <atomic>
#include <cstdint>

#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

// Relaxed: a test sets it before the threads that read it are there.
constinit std::atomic<span_beginning> beginning{nullptr};

}  // namespace

span_attributes server_attributes(std::string_view name, std::string_view type) {
    span_attributes attributes;
    attributes.emplace_back(server_name_attribute, std::string(name));
    if (!type.empty()) attributes.emplace_back(server_type_attribute, std::string(type));
    attributes.emplace_back("process.pid", std::int64_t{getpid()});
    return attributes;
}

void finish_stage_spans(const std::vector<startup_stage>& stages, std::string_view prefix,
                        const span_context& parent, const clock_anchor& clock,
                        const span_attributes& attributes) {
    for (const startup_stage& stage : stages) {
        finished_span span{.name = std::string(prefix) + '.' + stage.name,
                           .context = begin_startup_span(parent),
                           .parent = parent.span,
                           .start_ns = clock.to_wall(stage.start_ns),
                           .end_ns = clock.to_wall(stage.end_ns),
                           .attributes = attributes};
        span.attributes.emplace_back(startup_stage_attribute, stage.name);
        finish_span(std::move(span));
    }
}

span_context begin_startup_span(const span_context& parent) {
    const span_beginning begin = beginning.load(std::memory_order_relaxed);
    return begin != nullptr ? begin(parent) : new_span_context(parent);
}

void set_span_beginning_for_tests(span_beginning begin) noexcept {
    beginning.store(begin, std::memory_order_relaxed);
}

}  // namespace gym::telemetry::detail
