// SPDX-License-Identifier: Apache-2.0
//
// The recorders of <gym/telemetry/recorders.hpp>: each names its row of the table by the literal
// name, and a wrong name, kind, number or type of values does not compile.
#include "engine/record.hpp"
#include "instruments/record.hpp"
#include "instruments/rules.hpp"

#include <gym/telemetry/recorders.hpp>

#include <limits>

namespace gym::telemetry::detail {

namespace {

using engine::drop_record;
using instruments::count;
using instruments::id_of;
using instruments::record;

}  // namespace

void sandbox_active(std::int64_t delta, text provider) noexcept {
    instruments::add<id_of("gym.sandbox.active")>(delta, provider);
}

void sandbox_startup(double duration_ms, text provider) noexcept {
    record<id_of("gym.sandbox.startup_duration_ms")>(duration_ms, provider);
}

void sandbox_exec_duration(double duration_ms, text provider) noexcept {
    record<id_of("gym.sandbox.exec_duration_ms")>(duration_ms, provider);
}

void sandbox_create_retry(text provider) noexcept {
    count<id_of("gym.sandbox.create_retry_total")>(provider);
}

void server_startup_stage(double duration_ms, text stage, text server_name, text server_type,
                          bool worker) noexcept {
    record<id_of("gym.server.startup_stage_duration_ms")>(duration_ms, stage, server_name,
                                                          server_type, worker);
}

void http_connection_pool_queue_duration(double duration_ms, text constraint, text outcome,
                                         text server_name) noexcept {
    record<id_of("gym.http.connection_pool.queue_duration_ms")>(duration_ms, constraint, outcome,
                                                                server_name);
}

void http_connection_pool_connect_duration(double duration_ms, text outcome,
                                           text server_name) noexcept {
    record<id_of("gym.http.connection_pool.connect_duration_ms")>(duration_ms, outcome,
                                                                  server_name);
}

void rollout_completed(text outcome, text dispatch_name, const failure& why) noexcept {
    count<id_of("gym.rollout.completed_total")>(outcome, dispatch_name, why.failure_class,
                                                why.failure_kind, why.failure_type);
}

void rollout_reward(double reward, text dispatch_name, bool masked) noexcept {
    constexpr auto id = id_of("gym.rollout.rewarded_total");
    if (reward != reward) [[unlikely]]
        return drop_record(id, engine::drop_reason::not_a_number);
    count<id>(instruments::reward_range(reward), dispatch_name, masked);
}

void rollout_health(text verdict, text outcome, std::span<const text> flagged_checks) noexcept {
    constexpr auto flagged = id_of("gym.rollout.health_flagged_total");
    count<id_of("gym.rollout.health_verdict_total")>(verdict, outcome);
    for (std::size_t i = 0; i < flagged_checks.size(); ++i) {
        const text check = flagged_checks[i];
        // A rollout counts once for each distinct check; lists are short.
        bool repeated = false;
        for (std::size_t j = 0; j < i && !repeated; ++j) repeated = flagged_checks[j] == check;
        if (repeated) continue;
        if (instruments::is_identifier(check))
            count<flagged>(check, outcome);
        else
            drop_record(flagged, engine::drop_reason::bad_name);
    }
}

void rollout_duration(double duration_ms) noexcept {
    record<id_of("gym.rollout.duration_ms")>(duration_ms);
}

void verify(double duration_ms, bool succeeded) noexcept {
    record<id_of("gym.verify.duration_ms")>(duration_ms);
    instruments::count_ratio<id_of("gym.verify.success_rate")>(succeeded);
}

void active_servers(std::int64_t count) noexcept {
    instruments::store<id_of("gym.servers.active")>(static_cast<double>(count));
}

void server_request(double duration_ms) noexcept {
    record<id_of("gym.server.request_duration_ms")>(duration_ms);
}

}  // namespace gym::telemetry::detail
