// SPDX-License-Identifier: Apache-2.0
//
// Where whatever goes wrong in a timeline ends: a failure of telemetry never reaches the server.
#include "base/diagnostics.hpp"
#include "startup/server_timeline.hpp"
#include "startup/supervisor_timeline.hpp"

#include <gym/telemetry/startup.hpp>

#include <exception>

namespace gym::telemetry {

namespace {

// What `work` returns, or an empty one of it.
template <class Work>
auto guarded(Work work) noexcept -> decltype(work()) {
    try {
        return work();
    } catch (const std::exception& problem) {
        detail::diagnose("startup.failed",
                         std::string("part of the startup timeline is lost: ") + problem.what());
    } catch (...) {
        detail::diagnose("startup.failed", "part of the startup timeline is lost");
    }
    return decltype(work())();
}

}  // namespace

server_startup::server_startup(server_startup_options options) noexcept
    : timeline_(guarded([&] {
          return std::make_unique<detail::server_timeline>(std::move(options),
                                                           detail::environment::of_process());
      })) {}

server_startup::~server_startup() = default;
server_startup::server_startup(server_startup&&) noexcept = default;
server_startup& server_startup::operator=(server_startup&&) noexcept = default;

void server_startup::name_server(std::string_view server_name,
                                 std::string_view server_type) noexcept {
    guarded([&] {
        if (timeline_) timeline_->name_server(server_name, server_type);
    });
}

void server_startup::mark(std::string_view stage) noexcept {
    guarded([&] {
        if (timeline_) timeline_->mark(stage);
    });
}

void server_startup::serving() noexcept {
    guarded([&] {
        if (timeline_) timeline_->serving();
    });
}

void server_startup::report() noexcept {
    guarded([&] {
        if (timeline_) timeline_->report();
    });
}

environment_variables server_startup::announce_serve() {
    return guarded(
        [&] { return timeline_ ? timeline_->announce_serve() : environment_variables(); });
}

std::vector<startup_stage> server_startup::stages() const {
    return timeline_ ? timeline_->stages() : std::vector<startup_stage>();
}

supervisor_startup::supervisor_startup(bool enabled) noexcept
    : timeline_(guarded([&] { return std::make_unique<detail::supervisor_timeline>(enabled); })) {}

supervisor_startup::~supervisor_startup() = default;
supervisor_startup::supervisor_startup(supervisor_startup&&) noexcept = default;
supervisor_startup& supervisor_startup::operator=(supervisor_startup&&) noexcept = default;

void supervisor_startup::begin_trace() noexcept {
    guarded([&] {
        if (timeline_) timeline_->begin_trace();
    });
}

void supervisor_startup::mark(std::string_view stage) noexcept {
    guarded([&] {
        if (timeline_) timeline_->mark(stage);
    });
}

environment_variables supervisor_startup::server_environment(std::string_view server_name,
                                                             std::string_view server_type) {
    return guarded([&] {
        return timeline_ ? timeline_->spawn(server_name, server_type) : environment_variables();
    });
}

void supervisor_startup::server_ready(std::string_view server_name) noexcept {
    guarded([&] {
        if (timeline_) timeline_->server_ready(server_name);
    });
}

void supervisor_startup::finish() noexcept {
    guarded([&] {
        if (timeline_) timeline_->finish();
    });
}

std::vector<startup_stage> supervisor_startup::stages() const {
    return timeline_ ? timeline_->stages() : std::vector<startup_stage>();
}

}  // namespace gym::telemetry
