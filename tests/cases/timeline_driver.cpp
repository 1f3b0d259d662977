// SPDX-License-Identifier: Apache-2.0
//
// Driver `timeline`: startup stages.
#include "drivers.hpp"
#include "expectations.hpp"
#include "startup/spans.hpp"
#include "timeline_play.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/sandbox.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace gym::telemetry::cases {

namespace {

// A number as it stands, or the wall clock less or plus one.
std::string stamp_of(const std::string& text) {
    if (!text.starts_with("now-") && !text.starts_with("now+")) return text;
    std::int64_t by = 0;
    const auto [end, error] = std::from_chars(text.data() + 4, text.data() + text.size(), by);
    require(error == std::errc() && end == text.data() + text.size(), "not a stamp: " + text);
    return std::to_string(detail::system_wall_ns() + (text[3] == '-' ? -by : by));
}

span_context raise(const span_context&) {
    throw std::runtime_error("no span can be started");
}

}  // namespace

timeline_play::timeline_play(const case_file& played) : c(played) {
    // One clock for all when the case says how time goes.
    if (c.given.find("clock_start_ns") || c.given.find("monotonic_ms") ||
        c.given.find("wall_clock"))
        clock_.emplace(c.given_integer("clock_start_ns", detail::steady_now_ns()),
                       detail::system_wall_ns());
    if (const json_value* env = c.given.find("env"))
        for (const auto& [name, value] : env->members) set_variable(name, stamp_of(text_of(value)));
    telemetry.emplace(c);
    if (c.given.find("span_start")) detail::set_span_beginning_for_tests(raise);
}

timeline_play::~timeline_play() {
    detail::set_span_beginning_for_tests(nullptr);
}

// This process plays nothing else, and has one thread.
void timeline_play::set_variable(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    variables[name] = value;
}

void timeline_play::play(const call& f) {
    if (const json_value* before = c.expects("nothing_before"); before && text_of(*before) == f.fn)
        check_nothing_yet();
    wall_before_ns = detail::system_wall_ns();
    if (!play_server(f) && !play_supervisor(f)) throw failure("call not played: " + f.fn);
    wall_after_ns = detail::system_wall_ns();
    step_wall_clock();
}

bool timeline_play::play_server(const call& f) {
    if (f.fn == "server_timeline") {
        bare_.reset();
        supervisor_.reset();
        server_.emplace(server_startup_options{.server_name = f.text("name"),
                                               .server_type = f.text("type"),
                                               .worker = f.flag("worker"),
                                               .enabled = f.flag("enabled", true)});
    } else if (f.fn == "stage_timeline") {
        server_.reset();
        supervisor_.reset();
        bare_.emplace(f.integer("start_ns"));
    } else if (f.fn == "mark") {
        if (server_) server_->mark(f.text("stage"));
        if (bare_) bare_->mark(f.text("stage"));
        if (supervisor_) supervisor_->mark(f.text("stage"));
    } else if (f.fn == "report") {
        if (server_) server_->report();
    } else if (f.fn == "report_when_serving") {
        is_armed_ = true;
    } else if (f.fn == "app_started") {
        if (is_armed_ && server_) server_->serving();
        is_armed_ = false;
    } else if (f.fn == "announce_serve") {
        if (server_)
            for (const auto& [name, value] : server_->announce_serve()) set_variable(name, value);
    } else if (f.fn == "timed_sandbox_startup") {
        time_sandbox_start(f.text("provider"), [this] { pass_time(); });
    } else {
        return false;
    }
    return true;
}

bool timeline_play::play_supervisor(const call& f) {
    if (f.fn == "supervisor") {
        server_.reset();
        bare_.reset();
        supervisor_.emplace();
        return true;
    }
    const bool known =
        f.fn == "begin_trace" || f.fn == "server_env" || f.fn == "server_ready" || f.fn == "finish";
    if (!known || !supervisor_) return known;
    if (f.fn == "begin_trace") supervisor_->begin_trace();
    if (f.fn == "server_env") {
        server_environment.clear();
        for (auto& [name, value] : supervisor_->server_environment(f.text("name"), f.text("type")))
            server_environment[name] = value;
    }
    if (f.fn == "server_ready") supervisor_->server_ready(f.text("name"));
    if (f.fn == "finish") supervisor_->finish();
    return true;
}

// So much time passes on the steady clock; the wall clock may be set on the way.
void timeline_play::pass_time() {
    if (!clock_) return;
    const std::int64_t whole_ms = c.given_integer("monotonic_ms", 0);
    const json_value* wall = c.given.find("wall_clock");
    const json_value* after = wall ? wall->find("after_ms") : nullptr;
    const std::int64_t first_ms = after ? std::min(int64_of(*after), whole_ms) : whole_ms;
    clock_->advance_ns(first_ms * 1'000'000);
    if (wall) clock_->step_wall_ns(int64_of(*wall->find("step_ms")) * 1'000'000);
    clock_->advance_ns((whole_ms - first_ms) * 1'000'000);
    has_stepped_ = true;
}

// Where no call takes time of its own, it passes after the first one.
void timeline_play::step_wall_clock() {
    const json_value* wall = c.given.find("wall_clock");
    if (wall == nullptr || has_stepped_ || c.given.find("monotonic_ms")) return;
    has_stepped_ = true;
    if (const json_value* after = wall->find("after_ms"))
        clock_->advance_ns(int64_of(*after) * 1'000'000);
    clock_->step_wall_ns(int64_of(*wall->find("step_ms")) * 1'000'000);
}

std::vector<startup_stage> timeline_play::stages() const {
    if (server_) return server_->stages();
    if (supervisor_) return supervisor_->stages();
    return bare_ ? bare_->stages() : std::vector<startup_stage>();
}

void timeline_play::collect_all() {
    telemetry->collect_all();
    for (finished_span& span : collect_spans()) spans.push_back(std::move(span));
}

void timeline_play::check_nothing_yet() {
    collect_all();
    require(spans.empty(), "there is a span already");
    for (const point& p : telemetry->seen().last())
        require(p.instrument.starts_with("gym.telemetry."), "there is a point already");
}

void play_timeline(const case_file& c) {
    timeline_play played(c);
    for (const call& f : c.calls)
        for (std::int64_t i = 0; i < f.repeat; ++i) played.play(f);
    played.collect_all();
    check_points(c, *played.telemetry);
    check_instruments(c, played.telemetry->seen());
    check_timeline(c, played);
}

}  // namespace gym::telemetry::cases
