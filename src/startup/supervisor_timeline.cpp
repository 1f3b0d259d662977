// SPDX-License-Identifier: Apache-2.0
#include "startup/supervisor_timeline.hpp"

#include "base/diagnostics.hpp"
#include "startup/spans.hpp"
#include "startup/stamps.hpp"

#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <cstdint>
#include <exception>
#include <utility>

#include <unistd.h>

namespace gym::telemetry::detail {

void supervisor_timeline::begin_trace() {
    const std::lock_guard lock(mutex_);
    if (enabled_ && !root_.is_valid() && span_group_enabled(span_group::startup))
        root_ = begin_startup_span({});
}

void supervisor_timeline::mark(std::string_view stage) {
    const std::lock_guard lock(mutex_);
    if (enabled_) timeline_.mark(stage);
}

environment_variables supervisor_timeline::spawn(std::string_view name, std::string_view type) {
    const std::lock_guard lock(mutex_);
    if (!enabled_ || !is_exporting()) return {};
    const clock_anchor now;
    environment_variables variables;
    variables.emplace_back(startup_spawn_variable, std::to_string(now.wall_ns));
    try {
        trace_server(name, type, now, variables);
    } catch (const std::exception& problem) {
        // The stamp is good without the span.
        diagnose("startup.failed", std::string("a server has no startup span: ") + problem.what());
    }
    return variables;
}

void supervisor_timeline::trace_server(std::string_view name, std::string_view type,
                                       const clock_anchor& now, environment_variables& variables) {
    if (!root_.is_valid()) return;
    const span_context context = begin_startup_span(root_);
    waiting_.insert_or_assign(std::string(name), waiting_server{std::string(type), now, context});
    variables.emplace_back(startup_traceparent_variable, format_traceparent(context));
}

void supervisor_timeline::server_ready(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(name);
    if (found == waiting_.end()) return;
    const waiting_server server = std::move(found->second);
    waiting_.erase(found);
    finish_span({.name = "gym.startup.server",
                 .context = server.context,
                 .parent = root_.span,
                 .start_ns = server.spawned.wall_ns,
                 .end_ns = server.spawned.to_wall(steady_now_ns()),
                 .attributes = server_attributes(name, server.type)});
}

void supervisor_timeline::finish() {
    const std::lock_guard lock(mutex_);
    enabled_ = false;
    waiting_.clear();
    if (!root_.is_valid()) return;
    const span_context root = std::exchange(root_, span_context{});
    const span_attributes pid = {{"process.pid", std::int64_t{getpid()}}};
    finish_stage_spans(timeline_.stages(), "gym.startup", root, entry_, pid);
    finish_span({.name = "gym.startup",
                 .context = root,
                 .start_ns = entry_.wall_ns,
                 .end_ns = entry_.to_wall(steady_now_ns()),
                 .attributes = pid});
}

std::vector<startup_stage> supervisor_timeline::stages() const {
    const std::lock_guard lock(mutex_);
    return timeline_.stages();
}

}  // namespace gym::telemetry::detail
