// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the API page, in its order and with its parameters. Every one
// - is a no-op unless telemetry is initialised and exporting: one relaxed load and a branch,
//   inlined here, with the arguments not looked at;
// - never throws, never blocks on I/O, never logs, and allocates only for a series that this
//   thread records for the first time;
// - may be called from any number of threads, each of which writes to cells of its own.
//
// Durations are milliseconds; one that is NaN, infinite or negative is dropped and counted in
// gym.telemetry.dropped_total. Text is UTF-8 of at most 1,024 bytes: invalid bytes become U+FFFD,
// the rest is cut at a character. An empty optional attribute is left out.
// Rules and their sources: docs/instruments.md.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/detail/control.hpp>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace gym::telemetry {

// Fields of a failed attempt. Each is recorded only together with a failure class, and only when
// it is not empty.
struct failure {
    std::string_view failure_class{};  // a name of at most 128 bytes, else `unregistered`
    std::string_view failure_kind{};   // registered or `<server>:<kind>`, else `unregistered`
    std::string_view failure_type{};   // the exception's class name, same rule as failure_class
};

namespace detail {

using text = std::string_view;
GYM_TELEMETRY_API void sandbox_active(std::int64_t delta, text provider) noexcept;
GYM_TELEMETRY_API void sandbox_startup(double duration_ms, text provider) noexcept;
GYM_TELEMETRY_API void sandbox_exec_duration(double duration_ms, text provider) noexcept;
GYM_TELEMETRY_API void sandbox_create_retry(text provider) noexcept;
GYM_TELEMETRY_API void server_startup_stage(double duration_ms, text stage, text server_name,
                                            text server_type, bool worker) noexcept;
GYM_TELEMETRY_API void http_connection_pool_queue_duration(double duration_ms, text constraint,
                                                           text outcome, text server_name) noexcept;
GYM_TELEMETRY_API void http_connection_pool_connect_duration(double duration_ms, text outcome,
                                                             text server_name) noexcept;
GYM_TELEMETRY_API void rollout_completed(text outcome, text dispatch_name,
                                         const failure& why) noexcept;
GYM_TELEMETRY_API void rollout_reward(double reward, text dispatch_name, bool masked) noexcept;
GYM_TELEMETRY_API void rollout_health(text verdict, text outcome,
                                      std::span<const text> flagged_checks) noexcept;
GYM_TELEMETRY_API void rollout_duration(double duration_ms) noexcept;
GYM_TELEMETRY_API void verify(double duration_ms, bool succeeded) noexcept;
GYM_TELEMETRY_API void active_servers(std::int64_t count) noexcept;
GYM_TELEMETRY_API void server_request(double duration_ms) noexcept;

// A std::chrono duration as milliseconds.
template <class Rep, class Period>
constexpr double to_ms(std::chrono::duration<Rep, Period> duration) noexcept {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace detail

// gym.sandbox.active: +1 when a provider hands back a handle, -1 when the gym releases it. A start
// that fails adds nothing, stopping twice subtracts once. Backends add it up over the processes.
inline void record_sandbox_active(std::int64_t delta, std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_active(delta, provider);
}

// gym.sandbox.startup_duration_ms: wall-clock of one provisioning that succeeded.
inline void record_sandbox_startup(double duration_ms, std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_startup(duration_ms, provider);
}
template <class Rep, class Period>
void record_sandbox_startup(std::chrono::duration<Rep, Period> duration,
                            std::string_view provider) noexcept {
    record_sandbox_startup(detail::to_ms(duration), provider);
}

// gym.sandbox.exec_duration_ms: one command in a running sandbox that ran to its end, whatever its
// exit code.
inline void record_sandbox_exec_duration(double duration_ms, std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_exec_duration(duration_ms, provider);
}
template <class Rep, class Period>
void record_sandbox_exec_duration(std::chrono::duration<Rep, Period> duration,
                                  std::string_view provider) noexcept {
    record_sandbox_exec_duration(detail::to_ms(duration), provider);
}

// gym.sandbox.create_retry_total: one per create attempt that a provider retried, recorded by that
// provider's own retry loop.
inline void record_sandbox_create_retry(std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_create_retry(provider);
}

// gym.server.startup_stage_duration_ms: one point per stage of a server's own startup, recorded
// once by the process that ran it. An empty type is an unknown one.
inline void record_server_startup_stage(double duration_ms, std::string_view stage,
                                        std::string_view server_name, std::string_view server_type,
                                        bool worker = false) noexcept {
    if (detail::recording())
        detail::server_startup_stage(duration_ms, stage, server_name, server_type, worker);
}
template <class Rep, class Period>
void record_server_startup_stage(std::chrono::duration<Rep, Period> duration,
                                 std::string_view stage, std::string_view server_name,
                                 std::string_view server_type, bool worker = false) noexcept {
    record_server_startup_stage(detail::to_ms(duration), stage, server_name, server_type, worker);
}

// gym.http.connection_pool.queue_duration_ms: the wait of one queued acquisition, its wake-ups
// added up. One that got a slot at once records nothing. Values: queue_constraint, queue_outcome.
inline void record_http_connection_pool_queue_duration(double duration_ms,
                                                       std::string_view queue_constraint,
                                                       std::string_view queue_outcome,
                                                       std::string_view server_name) noexcept {
    if (detail::recording())
        detail::http_connection_pool_queue_duration(duration_ms, queue_constraint, queue_outcome,
                                                    server_name);
}
template <class Rep, class Period>
void record_http_connection_pool_queue_duration(std::chrono::duration<Rep, Period> duration,
                                                std::string_view queue_constraint,
                                                std::string_view queue_outcome,
                                                std::string_view server_name) noexcept {
    record_http_connection_pool_queue_duration(detail::to_ms(duration), queue_constraint,
                                               queue_outcome, server_name);
}

// gym.http.connection_pool.connect_duration_ms: opening one new connection, with DNS, TCP and TLS.
// A reused connection records nothing. Values: connect_outcome.
inline void record_http_connection_pool_connect_duration(double duration_ms,
                                                         std::string_view outcome,
                                                         std::string_view server_name) noexcept {
    if (detail::recording())
        detail::http_connection_pool_connect_duration(duration_ms, outcome, server_name);
}
template <class Rep, class Period>
void record_http_connection_pool_connect_duration(std::chrono::duration<Rep, Period> duration,
                                                  std::string_view outcome,
                                                  std::string_view server_name) noexcept {
    record_http_connection_pool_connect_duration(detail::to_ms(duration), outcome, server_name);
}

// gym.rollout.completed_total: one per attempt that the collection driver finished handling, after
// it wrote the attempt or decided to omit it. Values: outcome.
inline void record_rollout_completed(std::string_view outcome, std::string_view dispatch_name,
                                     const failure& why = {}) noexcept {
    if (detail::recording()) {
        // Copied here, so that a caller writes the fields to memory only when telemetry is on.
        const failure fields{why.failure_class, why.failure_kind, why.failure_type};
        detail::rollout_completed(outcome, dispatch_name, fields);
    }
}

// gym.rollout.rewarded_total: one per scored attempt with a numeric reward, by range: negative,
// zero (-0.0 too), partial, full (exactly 1), above_one (infinity too). NaN is dropped and counted.
// `masked` is the result's mask_sample.
inline void record_rollout_reward(double reward, std::string_view dispatch_name,
                                  bool masked) noexcept {
    if (detail::recording()) detail::rollout_reward(reward, dispatch_name, masked);
}

// gym.rollout.health_verdict_total and health_flagged_total: one per evaluated rollout, and one
// per distinct check with a finding. A check id is [a-z][a-z0-9_]*; another is dropped and counted.
inline void record_rollout_health(std::string_view verdict, std::string_view outcome,
                                  std::span<const std::string_view> flagged_checks) noexcept {
    if (detail::recording()) detail::rollout_health(verdict, outcome, flagged_checks);
}
inline void record_rollout_health(std::string_view verdict, std::string_view outcome,
                                  std::initializer_list<std::string_view> flagged_checks) noexcept {
    record_rollout_health(verdict, outcome,
                          std::span(flagged_checks.begin(), flagged_checks.size()));
}

// The five instruments without attributes.

// gym.rollout.duration_ms.
inline void record_rollout_duration(double duration_ms) noexcept {
    if (detail::recording()) detail::rollout_duration(duration_ms);
}
template <class Rep, class Period>
void record_rollout_duration(std::chrono::duration<Rep, Period> duration) noexcept {
    record_rollout_duration(detail::to_ms(duration));
}

// gym.verify.duration_ms and gym.verify.success_rate: the share of verifications that succeeded
// since the process began, in [0, 1].
inline void record_verify(double duration_ms, bool succeeded) noexcept {
    if (detail::recording()) detail::verify(duration_ms, succeeded);
}
template <class Rep, class Period>
void record_verify(std::chrono::duration<Rep, Period> duration, bool succeeded) noexcept {
    record_verify(detail::to_ms(duration), succeeded);
}

// gym.servers.active: servers that are up now. Written by one process only, the orchestrator.
inline void record_active_servers(std::int64_t count) noexcept {
    if (detail::recording()) detail::active_servers(count);
}

// gym.server.request_duration_ms.
inline void record_server_request(double duration_ms) noexcept {
    if (detail::recording()) detail::server_request(duration_ms);
}
template <class Rep, class Period>
void record_server_request(std::chrono::duration<Rep, Period> duration) noexcept {
    record_server_request(detail::to_ms(duration));
}

}  // namespace gym::telemetry
