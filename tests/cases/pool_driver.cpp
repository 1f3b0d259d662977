// SPDX-License-Identifier: Apache-2.0
//
// Driver `pool`: the connection pool's rules on a clock that the case moves.
#include "drivers.hpp"
#include "expectations.hpp"
#include "http/virtual_pool.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <optional>

namespace gym::telemetry::cases {

namespace {

std::optional<std::string> optional_text(const json_value* value) {
    if (value == nullptr || value->is_null()) return std::nullopt;
    return text_of(*value);
}

std::optional<double> optional_number(const json_value* value) {
    return value ? std::optional(number_of(*value)) : std::nullopt;
}

http::virtual_pool_options options_of(const case_file& c) {
    http::virtual_pool_options to;
    to.limits.total = c.given_integer("limit", 0);
    to.limits.per_host = c.given_integer("limit_per_host", 0);
    to.introspection_raises = c.given.find("constraint_introspection") != nullptr;
    to.recorder_raises = c.given.find("recorder") != nullptr;
    to.metrics_enabled = c.given_flag("metrics_enabled", true);
    to.ambient_server = optional_text(c.given.find("ambient_server"));
    return to;
}

http::virtual_acquire acquire_of(const call& f) {
    http::virtual_acquire to;
    to.id = f.integer("id");
    to.server = optional_text(f.find("server"));
    to.host = f.text("host");
    to.timeout_ms = optional_number(f.find("timeout_ms"));
    to.connect_fails = f.find("connect") != nullptr;
    to.connect_ms = optional_number(f.find("connect_ms")).value_or(0);
    return to;
}

void play(const call& f, http::virtual_pool& pool, case_telemetry& telemetry) {
    if (f.fn == "acquire") {
        pool.acquire(acquire_of(f));
    } else if (f.fn == "release") {
        pool.release(f.integer("id"), f.flag("alive", true));
    } else if (f.fn == "cancel") {
        pool.cancel(f.integer("id"));
    } else if (f.fn == "advance_ms") {
        pool.advance_ms(f.number("ms"));
    } else if (f.fn == "redirect") {
        pool.redirect(f.integer("id"), optional_text(f.find("host")));
    } else if (f.fn == "spurious_wakeup") {
        pool.spurious_wakeup(f.integer("id"));
    } else if (f.fn == "replace_connector") {
        pool.replace_connector();
    } else if (f.fn == "set_metrics_enabled") {
        telemetry.set_metrics(f.flag("on"));
        pool.set_metrics_enabled(f.flag("on"));
    } else {
        throw failure("call not played: " + f.fn);
    }
}

void check_acquired(const case_file& c, const http::virtual_pool& pool) {
    const json_value* expected = c.expects("acquired");
    if (expected == nullptr) return;
    std::string shown;
    for (const std::int64_t id : pool.acquired()) shown += " " + std::to_string(id);
    std::set<std::int64_t> wanted;
    for (const json_value& id : expected->items) wanted.insert(int64_of(id));
    const auto actual = pool.acquired();
    require(std::set(actual.begin(), actual.end()) == wanted, "acquired are" + shown);
}

}  // namespace

void play_pool(const case_file& c) {
    case_telemetry telemetry(c);
    http::virtual_pool pool(options_of(c));
    for (const call& f : c.calls)
        for (std::int64_t i = 0; i < f.repeat; ++i) play(f, pool, telemetry);
    telemetry.collect_all();
    check_points(c, telemetry);
    check_instruments(c, telemetry.seen());
    check_acquired(c, pool);
    if (const json_value* name = c.expects("ambient_server_after"))
        require(pool.ambient_server() == text_of(*name),
                "the ambient server is " + json_text(pool.ambient_server()));
}

}  // namespace gym::telemetry::cases
