// SPDX-License-Identifier: Apache-2.0
//
// Names of the API page: attribute keys, instruments, boundaries and the known values of closed
// sets. Source: the telemetry API page of NVIDIA NeMo Gym, names in snake_case. They are part of
// the public promise: a name never changes within a major version.
#pragma once

#include <array>
#include <string_view>

namespace gym::telemetry {

// Attribute keys.
inline constexpr std::string_view sandbox_provider_attribute = "nemo.gym.sandbox.provider";
inline constexpr std::string_view server_name_attribute = "nemo.gym.server.name";
inline constexpr std::string_view server_type_attribute = "nemo.gym.server.type";
inline constexpr std::string_view startup_stage_attribute = "nemo.gym.startup.stage";
inline constexpr std::string_view worker_attribute = "nemo.gym.server.worker";
inline constexpr std::string_view http_connection_pool_queue_constraint_attribute =
    "nemo.gym.http.connection_pool.queue_constraint";
inline constexpr std::string_view http_connection_pool_queue_outcome_attribute =
    "nemo.gym.http.connection_pool.queue_outcome";
inline constexpr std::string_view http_connection_pool_connect_outcome_attribute =
    "nemo.gym.http.connection_pool.connect_outcome";
inline constexpr std::string_view http_destination_server_name_attribute =
    "nemo.gym.http.destination.server.name";
inline constexpr std::string_view rollout_outcome_attribute = "nemo.gym.rollout.outcome";
inline constexpr std::string_view dispatch_name_attribute = "nemo.gym.rollout.dispatch.name";
inline constexpr std::string_view rollout_masked_attribute = "nemo.gym.rollout.masked";
inline constexpr std::string_view reward_range_attribute = "nemo.gym.rollout.reward.range";
inline constexpr std::string_view failure_class_attribute = "nemo.gym.failure_class";
inline constexpr std::string_view failure_kind_attribute = "nemo.gym.failure_kind";
inline constexpr std::string_view failure_type_attribute = "nemo.gym.failure_type";
inline constexpr std::string_view health_verdict_attribute = "nemo.gym.health.verdict";
inline constexpr std::string_view health_check_attribute = "nemo.gym.health.check";

// Instruments of the page.
inline constexpr std::string_view sandbox_active_instrument = "gym.sandbox.active";
inline constexpr std::string_view sandbox_startup_instrument = "gym.sandbox.startup_duration_ms";
inline constexpr std::string_view sandbox_exec_instrument = "gym.sandbox.exec_duration_ms";
inline constexpr std::string_view sandbox_create_retry_instrument =
    "gym.sandbox.create_retry_total";
inline constexpr std::string_view server_startup_stage_instrument =
    "gym.server.startup_stage_duration_ms";
inline constexpr std::string_view http_connection_pool_queue_duration_instrument =
    "gym.http.connection_pool.queue_duration_ms";
inline constexpr std::string_view http_connection_pool_connect_duration_instrument =
    "gym.http.connection_pool.connect_duration_ms";
inline constexpr std::string_view http_connection_pool_connect_instrument =
    "gym.http.connection_pool.connect_total";
inline constexpr std::string_view rollout_completed_instrument = "gym.rollout.completed_total";
inline constexpr std::string_view rollout_rewarded_instrument = "gym.rollout.rewarded_total";
inline constexpr std::string_view rollout_health_verdict_instrument =
    "gym.rollout.health_verdict_total";
inline constexpr std::string_view rollout_health_flagged_instrument =
    "gym.rollout.health_flagged_total";

// The five instruments without attributes that the page builds on.
inline constexpr std::string_view server_request_duration_instrument =
    "gym.server.request_duration_ms";
inline constexpr std::string_view rollout_duration_instrument = "gym.rollout.duration_ms";
inline constexpr std::string_view verify_duration_instrument = "gym.verify.duration_ms";
inline constexpr std::string_view verify_success_rate_instrument = "gym.verify.success_rate";
inline constexpr std::string_view servers_active_instrument = "gym.servers.active";

// Histogram boundaries in milliseconds; a bucket includes its upper bound.
inline constexpr std::array<double, 12> sandbox_duration_boundaries_ms = {
    250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000};
inline constexpr std::array<double, 15> server_startup_boundaries_ms = {
    100,   250,    500,    1000,   2500,    5000,    10000,  30000,
    60000, 120000, 300000, 600000, 1200000, 1800000, 3600000};
inline constexpr std::array<double, 17> http_connection_pool_queue_duration_boundaries_ms = {
    0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 30000};

// What a failure kind becomes that is neither registered nor of the form `<server>:<kind>`.
inline constexpr std::string_view unregistered_failure_kind = "unregistered";

// Known values of closed sets. Another value is recorded as given and counted in
// gym.telemetry.unknown_value_total: a set that grew upstream must not lose data here.
namespace outcome {
inline constexpr std::string_view scored = "scored";
inline constexpr std::string_view failed = "failed";
inline constexpr std::string_view omitted = "omitted";
}  // namespace outcome

namespace verdict {
inline constexpr std::string_view healthy = "healthy";
inline constexpr std::string_view unhealthy = "unhealthy";
inline constexpr std::string_view unobserved = "unobserved";
}  // namespace verdict

namespace queue_constraint {
inline constexpr std::string_view total = "total";
inline constexpr std::string_view per_host = "per_host";
inline constexpr std::string_view unknown = "unknown";
}  // namespace queue_constraint

namespace queue_outcome {
inline constexpr std::string_view ok = "ok";
inline constexpr std::string_view abandoned = "abandoned";
}  // namespace queue_outcome

namespace connect_outcome {
inline constexpr std::string_view ok = "ok";
inline constexpr std::string_view failed = "failed";
}  // namespace connect_outcome

namespace reward_range {
inline constexpr std::string_view negative = "negative";
inline constexpr std::string_view zero = "zero";
inline constexpr std::string_view partial = "partial";
inline constexpr std::string_view full = "full";
inline constexpr std::string_view above_one = "above_one";
}  // namespace reward_range

// The destination of a connection whose caller named none.
inline constexpr std::string_view external_server_name = "external";

}  // namespace gym::telemetry
