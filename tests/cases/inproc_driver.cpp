// SPDX-License-Identifier: Apache-2.0
//
// Driver `inproc`: the recorders and an in-memory reader.
#include "allocation_count.hpp"
#include "compare.hpp"
#include "drivers.hpp"
#include "expectations.hpp"
#include "handle/handle.hpp"
#include "inproc_play.hpp"
#include "measure.hpp"
#include "recorder_calls.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/recorders.hpp>

#include <atomic>
#include <optional>
#include <thread>

namespace gym::telemetry::cases {

void inproc_play::play(const std::vector<call>& calls) {
    for (const call& f : calls)
        if (const auto record = recorder_of(f)) {
            for (std::int64_t i = 0; i < f.repeat; ++i) record();
        } else {
            for (std::int64_t i = 0; i < f.repeat; ++i) play(f);
        }
}

void inproc_play::play(const call& f) {
    if (!play_simple(f) && !play_threads(f)) throw failure("call not played: " + f.fn);
}

bool inproc_play::play_simple(const call& f) {
    if (f.fn == "collect") {
        const json_value* reader = f.find("reader");
        const auto points = telemetry.collect(reader ? static_cast<int>(int64_of(*reader)) : 0);
        if (f.find("label")) telemetry.keep(f.text("label"), points);
    } else if (f.fn == "install_meter") {
        telemetry.install_meter(f.text("name"));
    } else if (f.fn == "register_http_connection_pool_connect_counter") {
        // A second registration is one of its own, which loses against the first.
        auto added = std::make_shared<connect_counter>();
        added->set(f.at("snapshot"));
        added->register_scoped();
        if (added->is_registered()) counter = std::move(added);
    } else if (f.fn == "set_snapshot") {
        counter->set(f.at("snapshot"));
    } else if (f.fn.ends_with("_many")) {
        many(f);
    } else if (f.fn == "record_loop") {
        record_loop(f);
    } else if (f.fn == "reinit_loop") {
        reinit_loop(f);
    } else if (f.fn == "register_in_scope_then_destroy_owner") {
        register_in_scope(f);
    } else if (f.fn == "register_destroy_loop") {
        register_destroy_loop(f);
    } else {
        return false;
    }
    return true;
}

void inproc_play::many(const call& f) {
    const bool completed = f.fn == "record_rollout_completed_many";
    const std::string pattern = f.text(completed ? "failure_kind_template" : "provider_template");
    const std::int64_t n = f.integer("n");
    const std::string outcome = f.text("outcome"), name = f.text("dispatch_name"),
                      of_class = f.text("failure_class");
    const std::int64_t delta = f.find("delta") ? f.integer("delta") : 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::string text = from_template(pattern, i);
        if (completed)
            record_rollout_completed(outcome, name,
                                     {.failure_class = of_class, .failure_kind = text});
        else if (f.fn == "record_sandbox_active_many")
            record_sandbox_active(delta, text);
        else
            record_sandbox_create_retry(text);
    }
}

void inproc_play::record_loop(const call& f) {
    const std::int64_t n = f.integer("n");
    record_sandbox_create_retry("p");  // the first record of a series allocates it
    const std::uint64_t allocated = test::allocations();
    const double begin = thread_cpu_ns();
    for (std::int64_t i = 1; i < n; ++i) record_sandbox_create_retry("p");
    const double took = thread_cpu_ns() - begin;
    loop_allocations = test::allocations() - allocated;
    ns_per_call = took / static_cast<double>(n);
}

void inproc_play::reinit_loop(const call& f) {
    const std::int64_t n = f.integer("n");
    const std::vector<call> between = calls_of(f.at("between"));
    const std::string_view instrument = instrument_of(between);
    telemetry.end();
    for (std::int64_t i = 0; i < n; ++i) {
        telemetry.begin();
        play(between);
        const double total = total_of(telemetry.collect(), instrument);
        telemetry.end();
        meters.push_back({total, total});
    }
}

void inproc_play::register_in_scope(const call&) {
    const auto owned = std::make_shared<connect_counter>();
    owned->set(parse_json(R"({"owned":1})"));
    owned->register_scoped();
    owned->unregister();
}

void inproc_play::register_destroy_loop(const call& f) {
    std::atomic<bool> stop = false;
    std::vector<std::thread> collectors;
    for (std::int64_t i = f.integer("collector_threads"); i > 0; --i)
        collectors.emplace_back([&] {
            while (!stop) telemetry.collect();
        });
    for (std::int64_t i = f.integer("n"); i > 0; --i) {
        const auto owned = std::make_shared<connect_counter>();
        owned->set(parse_json(R"({"owned":1})"));
        owned->register_scoped();
        owned->unregister();
        telemetry.collect();  // sees none of it
        late_callbacks += owned->late_calls();
    }
    stop = true;
    for (std::thread& collector : collectors) collector.join();
}

namespace {

void check_expectations(inproc_play& played) {
    const case_file& c = played.c;
    check_points(c, played.telemetry);
    check_self_metrics(c, played.telemetry.seen());
    check_meters(c, played.telemetry);
    check_instruments(c, played.telemetry.seen());
    check_properties(played, instrument_of(c.calls));
}

}  // namespace

void play_inproc(const case_file& c) {
    inproc_play played(c);
    std::optional<memory_growth> growth;
    if (c.property("rss_growth_le_mib")) growth.emplace();
    played.play(c.calls);
    if (growth) played.growth_mib = growth->peak_mib();
    if (const auto session = detail::current_session())
        played.live_cells = session->source()->live_cells();
    played.late_callbacks += played.counter->late_calls();
    played.telemetry.collect_all();
    check_expectations(played);
}

}  // namespace gym::telemetry::cases
