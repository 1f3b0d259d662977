// SPDX-License-Identifier: Apache-2.0
#include "recorder_calls.hpp"

#include "engine/record.hpp"
#include "instruments/catalogue.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/recorders.hpp>

#include <map>
#include <string>

namespace gym::telemetry::cases {

namespace {

using action = std::function<void()>;
using maker = action (*)(const call&);

// Counts and deltas are int64 in C++, which rules out what a case in JSON may hold. What a binding
// does with such a number before it gets here: the record is dropped and counted.
template <engine::instrument_id Id>
action integer_call(const call& f, std::string_view argument,
                    std::function<void(std::int64_t)> to) {
    const json_value& value = f.at(argument);
    if (const auto integer = exact_int64_of(value))
        return [to = std::move(to), amount = *integer] { to(amount); };
    const bool is_large = is_int_form(value);
    return [is_large] {
        engine::drop_record(
            Id, is_large ? engine::drop_reason::overflow : engine::drop_reason::not_a_number);
    };
}

action active(const call& f) {
    return integer_call<instruments::id_of(sandbox_active_instrument)>(
        f, "delta", [provider = f.text("provider")](std::int64_t delta) {
            record_sandbox_active(delta, provider);
        });
}

action servers(const call& f) {
    return integer_call<instruments::id_of(servers_active_instrument)>(
        f, "count", [](std::int64_t count) { record_active_servers(count); });
}

action startup(const call& f) {
    return [ms = f.number("duration_ms"), provider = f.text("provider")] {
        record_sandbox_startup(ms, provider);
    };
}

action exec(const call& f) {
    return [ms = f.number("duration_ms"), provider = f.text("provider")] {
        record_sandbox_exec_duration(ms, provider);
    };
}

action retry(const call& f) {
    return [provider = f.text("provider")] { record_sandbox_create_retry(provider); };
}

action stage(const call& f) {
    return [ms = f.number("duration_ms"), stage = f.text("stage"), name = f.text("server_name"),
            type = f.text("server_type"), worker = f.flag("worker")] {
        record_server_startup_stage(ms, stage, name, type, worker);
    };
}

action queue(const call& f) {
    return [ms = f.number("duration_ms"), constraint = f.text("queue_constraint"),
            outcome = f.text("queue_outcome"), name = f.text("server_name")] {
        record_http_connection_pool_queue_duration(ms, constraint, outcome, name);
    };
}

action connect(const call& f) {
    return
        [ms = f.number("duration_ms"), outcome = f.text("outcome"), name = f.text("server_name")] {
            record_http_connection_pool_connect_duration(ms, outcome, name);
        };
}

action completed(const call& f) {
    return [outcome = f.text("outcome"), name = f.text("dispatch_name"),
            of_class = f.text("failure_class"), kind = f.text("failure_kind"),
            type = f.text("failure_type")] {
        record_rollout_completed(
            outcome, name, {.failure_class = of_class, .failure_kind = kind, .failure_type = type});
    };
}

action reward(const call& f) {
    return [reward = f.number("reward"), name = f.text("dispatch_name"),
            masked = f.flag("masked")] { record_rollout_reward(reward, name, masked); };
}

action health(const call& f) {
    // C++ takes a span, which can neither be walked once only nor throw at its end.
    return [verdict = f.text("verdict"), outcome = f.text("outcome"),
            names = checks_of(f.at("flagged_checks")).names] {
        const std::vector<std::string_view> views(names.begin(), names.end());
        record_rollout_health(verdict, outcome, views);
    };
}

action rollout(const call& f) {
    return [ms = f.number("duration_ms")] { record_rollout_duration(ms); };
}

action verify(const call& f) {
    return [ms = f.number("duration_ms"), succeeded = f.flag("succeeded")] {
        record_verify(ms, succeeded);
    };
}

action request(const call& f) {
    return [ms = f.number("duration_ms")] { record_server_request(ms); };
}

struct entry {
    maker make;
    std::string_view instrument;
};

const std::map<std::string_view, entry>& recorders() {
    static const std::map<std::string_view, entry> table = {
        {"record_sandbox_active", {active, sandbox_active_instrument}},
        {"record_sandbox_startup", {startup, sandbox_startup_instrument}},
        {"record_sandbox_exec_duration", {exec, sandbox_exec_instrument}},
        {"record_sandbox_create_retry", {retry, sandbox_create_retry_instrument}},
        {"record_server_startup_stage", {stage, server_startup_stage_instrument}},
        {"record_http_connection_pool_queue_duration",
         {queue, http_connection_pool_queue_duration_instrument}},
        {"record_http_connection_pool_connect_duration",
         {connect, http_connection_pool_connect_duration_instrument}},
        {"record_rollout_completed", {completed, rollout_completed_instrument}},
        {"record_rollout_reward", {reward, rollout_rewarded_instrument}},
        {"record_rollout_health", {health, rollout_health_verdict_instrument}},
        {"record_rollout_duration", {rollout, rollout_duration_instrument}},
        {"record_verify", {verify, verify_duration_instrument}},
        {"record_active_servers", {servers, servers_active_instrument}},
        {"record_server_request", {request, server_request_duration_instrument}},
    };
    return table;
}

// Calls that stand for many calls of a recorder, and what else reaches an instrument.
const std::map<std::string_view, std::string_view>& other_instruments() {
    static const std::map<std::string_view, std::string_view> table = {
        {"register_http_connection_pool_connect_counter", http_connection_pool_connect_instrument},
        {"register_in_scope_then_destroy_owner", http_connection_pool_connect_instrument},
        {"register_destroy_loop", http_connection_pool_connect_instrument},
        {"record_sandbox_create_retry_many", sandbox_create_retry_instrument},
        {"record_sandbox_active_many", sandbox_active_instrument},
        {"record_rollout_completed_many", rollout_completed_instrument},
        {"record_loop", sandbox_create_retry_instrument},
        {"record_from_threads", sandbox_create_retry_instrument},
        {"record_from_short_threads", sandbox_create_retry_instrument},
        {"updown_pairs_from_threads", sandbox_active_instrument},
        {"record_histogram_from_threads", sandbox_startup_instrument},
        {"record_from_threads_with_reinit", sandbox_create_retry_instrument},
    };
    return table;
}

}  // namespace

std::function<void()> recorder_of(const call& f) {
    const auto at = recorders().find(f.fn);
    return at == recorders().end() ? action() : at->second.make(f);
}

std::string_view instrument_of(std::string_view fn) {
    if (const auto at = recorders().find(fn); at != recorders().end()) return at->second.instrument;
    const auto at = other_instruments().find(fn);
    return at == other_instruments().end() ? std::string_view() : at->second;
}

std::string_view instrument_of(const std::vector<call>& calls) {
    for (const call& f : calls) {
        if (const std::string_view name = instrument_of(f.fn); !name.empty()) return name;
        for (const std::string_view list : {"between", "child", "each"})
            if (const json_value* inner = f.find(list))
                if (const auto name = instrument_of(calls_of(*inner)); !name.empty()) return name;
    }
    return {};
}

}  // namespace gym::telemetry::cases
