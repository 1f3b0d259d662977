// SPDX-License-Identifier: Apache-2.0
#include "startup/server_timeline.hpp"

#include "startup/spans.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/recorders.hpp>

#include <utility>

namespace gym::telemetry::detail {

namespace {

// Where a timeline begins: a worker where its main process handed off, a server at its spawn, and
// either at its own entry when it knows no better.
std::int64_t start_of(const startup_stamps& stamps, bool worker, const clock_anchor& entry) {
    const auto before = worker ? stamps.serve_ns : stamps.spawn_ns;
    return before ? entry.to_steady(*before) : entry.steady_ns;
}

}  // namespace

server_timeline::server_timeline(server_startup_options options, const environment& variables)
    : options_(std::move(options)),
      stamps_(read_stamps(variables, entry_.wall_ns)),
      timeline_(start_of(stamps_, options_.worker, entry_)) {
    if (options_.enabled) add_stages_before_entry();
}

void server_timeline::add_stages_before_entry() {
    if (options_.worker) {
        if (stamps_.serve_ns) timeline_.mark_at(startup_stages::worker_start, entry_.steady_ns);
        return;
    }
    if (stamps_.setup_done_ns)
        timeline_.mark_at(startup_stages::venv_setup, entry_.to_steady(*stamps_.setup_done_ns));
    if (stamps_.spawn_ns) timeline_.mark_at(startup_stages::interpreter_start, entry_.steady_ns);
}

void server_timeline::name_server(std::string_view name, std::string_view type) {
    const std::lock_guard lock(mutex_);
    options_.server_name = name;
    options_.server_type = type;
}

void server_timeline::mark(std::string_view stage) {
    const std::lock_guard lock(mutex_);
    if (options_.enabled) timeline_.mark(stage);
}

void server_timeline::serving() {
    const std::lock_guard lock(mutex_);
    if (!options_.enabled || reported_) return;
    timeline_.mark(startup_stages::uvicorn_startup);
    report_with_lock_held();
}

void server_timeline::report() {
    const std::lock_guard lock(mutex_);
    if (options_.enabled && !reported_) report_with_lock_held();
}

void server_timeline::report_with_lock_held() {
    if (!is_exporting()) return;
    reported_ = true;
    if (metrics_enabled()) record_points();
    if (span_group_enabled(span_group::startup)) finish_spans();
}

void server_timeline::record_points() const {
    for (const startup_stage& stage : timeline_.stages())
        record_server_startup_stage(stage.duration_ms(), stage.name, options_.server_name,
                                    options_.server_type, options_.worker);
}

void server_timeline::finish_spans() const {
    if (timeline_.stages().empty()) return;  // a root covers its children, so there is none
    const std::string_view name =
        options_.worker ? "gym.server.startup.worker" : "gym.server.startup";
    span_attributes attributes = server_attributes(options_.server_name, options_.server_type);
    attributes.emplace_back(worker_attribute, options_.worker);
    const span_context root = begin_startup_span(stamps_.parent);
    finish_stage_spans(timeline_.stages(), name, root, entry_, attributes);
    finish_span({.name = std::string(name),
                 .context = root,
                 .parent = stamps_.parent.span,
                 .start_ns = entry_.to_wall(timeline_.start_ns()),
                 .end_ns = entry_.to_wall(timeline_.end_ns()),
                 .attributes = std::move(attributes)});
}

environment_variables server_timeline::announce_serve() const {
    if (!options_.enabled || !is_exporting()) return {};
    return {stamp_now(startup_serve_variable)};
}

std::vector<startup_stage> server_timeline::stages() const {
    const std::lock_guard lock(mutex_);
    return timeline_.stages();
}

}  // namespace gym::telemetry::detail
