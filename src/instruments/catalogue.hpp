// SPDX-License-Identifier: Apache-2.0
//
// THE table of instruments. An instrument is one row here and one recorder; documentation, Python
// constants, dashboards and golden names follow from the row, or a test fails.
//
// Source: the telemetry API page of NVIDIA NeMo Gym (names, kinds, units, attributes, boundaries).
// Rows with `extension` are ours. Rows with `self_metric` are about telemetry itself.
#pragma once

#include "engine/instrument_row.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/sandbox_extensions.hpp>

#include <array>
#include <string_view>

namespace gym::telemetry::instruments {

using engine::aggregation;
using engine::attribute_row;
using engine::attribute_type;
using engine::instrument_row;
using engine::value_rule;

// Known values of closed sets.
inline constexpr std::array rollout_outcomes = {outcome::scored, outcome::failed, outcome::omitted};
inline constexpr std::array health_outcomes = {outcome::scored, outcome::failed};
inline constexpr std::array verdicts = {verdict::healthy, verdict::unhealthy, verdict::unobserved};
inline constexpr std::array queue_constraints = {
    queue_constraint::total, queue_constraint::per_host, queue_constraint::unknown};
inline constexpr std::array queue_outcomes = {queue_outcome::ok, queue_outcome::abandoned};
inline constexpr std::array connect_outcomes = {connect_outcome::ok, connect_outcome::failed};
inline constexpr std::array sandbox_outcomes = {sandbox_outcome::ok, sandbox_outcome::failed,
                                                sandbox_outcome::cancelled};
inline constexpr std::array release_outcomes = {release_outcome::released,
                                                release_outcome::not_found, release_outcome::failed,
                                                release_outcome::lost};

// Attributes of each instrument, in the order of its recorder's values.
inline constexpr std::array by_provider = {attribute_row{sandbox_provider_attribute}};
inline constexpr std::array by_sandbox_outcome = {attribute_row{.key = sandbox_outcome_attribute,
                                                                .rule = value_rule::closed_set,
                                                                .known = sandbox_outcomes},
                                                  attribute_row{sandbox_provider_attribute}};
inline constexpr std::array by_release_outcome = {attribute_row{.key = sandbox_outcome_attribute,
                                                                .rule = value_rule::closed_set,
                                                                .known = release_outcomes},
                                                  attribute_row{sandbox_provider_attribute}};
inline constexpr std::array by_stage = {
    attribute_row{startup_stage_attribute}, attribute_row{server_name_attribute},
    attribute_row{.key = server_type_attribute, .optional = true},
    attribute_row{worker_attribute, attribute_type::boolean}};
inline constexpr std::array by_queue = {
    attribute_row{.key = http_connection_pool_queue_constraint_attribute,
                  .rule = value_rule::closed_set,
                  .known = queue_constraints},
    attribute_row{.key = http_connection_pool_queue_outcome_attribute,
                  .rule = value_rule::closed_set,
                  .known = queue_outcomes},
    attribute_row{http_destination_server_name_attribute}};
inline constexpr std::array by_connect = {
    attribute_row{.key = http_connection_pool_connect_outcome_attribute,
                  .rule = value_rule::closed_set,
                  .known = connect_outcomes},
    attribute_row{http_destination_server_name_attribute}};
inline constexpr std::array by_destination = {
    attribute_row{http_destination_server_name_attribute}};
inline constexpr std::array by_completion = {
    attribute_row{.key = rollout_outcome_attribute,
                  .rule = value_rule::closed_set,
                  .known = rollout_outcomes},
    attribute_row{dispatch_name_attribute},
    attribute_row{.key = failure_class_attribute, .optional = true, .rule = value_rule::name},
    attribute_row{
        .key = failure_kind_attribute, .optional = true, .rule = value_rule::failure_kind},
    attribute_row{.key = failure_type_attribute, .optional = true, .rule = value_rule::name}};
inline constexpr std::array by_reward = {
    attribute_row{reward_range_attribute}, attribute_row{dispatch_name_attribute},
    attribute_row{rollout_masked_attribute, attribute_type::boolean}};
inline constexpr std::array by_verdict = {
    attribute_row{
        .key = health_verdict_attribute, .rule = value_rule::closed_set, .known = verdicts},
    attribute_row{.key = rollout_outcome_attribute,
                  .rule = value_rule::closed_set,
                  .known = health_outcomes}};
// The outcome's unknown values are counted once a call, by the verdict's instrument.
inline constexpr std::array by_check = {attribute_row{health_check_attribute},
                                        attribute_row{rollout_outcome_attribute}};
inline constexpr std::array by_instrument = {attribute_row{"instrument"}};
inline constexpr std::array by_drop = {attribute_row{"instrument"}, attribute_row{"reason"}};
inline constexpr std::array by_attribute = {attribute_row{"attribute"}};
inline constexpr std::array by_exporter = {attribute_row{"exporter"}};
inline constexpr std::array by_export = {attribute_row{"exporter"}, attribute_row{"outcome"}};

// Of export_duration_ms: from a loopback receiver to the longest deadline in use.
inline constexpr std::array<double, 12> export_duration_boundaries_ms = {
    1, 2.5, 5, 10, 25, 50, 100, 250, 1000, 5000, 10000, 30000};

inline constexpr std::array catalogue = {
    // Sandbox.
    instrument_row{
        .name = sandbox_active_instrument,
        .kind = instrument_kind::up_down_counter,
        .unit = "{sandbox}",
        .description =
            "Sandboxes that this process holds now, from the provider's hand-over to the release.",
        .attributes = by_provider,
        .recorder = "record_sandbox_active(delta, provider)"},
    instrument_row{.name = sandbox_startup_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Wall-clock time of provisioning one sandbox.",
                   .bounds = sandbox_duration_boundaries_ms,
                   .attributes = by_provider,
                   .recorder = "record_sandbox_startup(duration_ms, provider)"},
    instrument_row{.name = sandbox_exec_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Wall-clock time of one command in a running sandbox.",
                   .bounds = sandbox_duration_boundaries_ms,
                   .attributes = by_provider,
                   .recorder = "record_sandbox_exec_duration(duration_ms, provider)"},
    instrument_row{.name = sandbox_create_retry_instrument,
                   .unit = "1",
                   .description = "Sandbox create attempts that a provider retried.",
                   .attributes = by_provider,
                   .recorder = "record_sandbox_create_retry(provider)"},
    // Server startup.
    instrument_row{.name = server_startup_stage_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one stage of one server's own startup.",
                   .bounds = server_startup_boundaries_ms,
                   .attributes = by_stage,
                   .recorder = "record_server_startup_stage(duration_ms, stage, server_name, "
                               "server_type, worker = false)"},
    // HTTP connection pool.
    instrument_row{
        .name = http_connection_pool_queue_duration_instrument,
        .kind = instrument_kind::histogram,
        .how = aggregation::histogram,
        .unit = "ms",
        .description = "Wait of one queued connection acquisition for a free slot of the pool.",
        .bounds = http_connection_pool_queue_duration_boundaries_ms,
        .attributes = by_queue,
        .recorder = "record_http_connection_pool_queue_duration(duration_ms, queue_constraint, "
                    "queue_outcome, server_name)"},
    instrument_row{
        .name = http_connection_pool_connect_duration_instrument,
        .kind = instrument_kind::histogram,
        .how = aggregation::histogram,
        .unit = "ms",
        .description = "Time to open one new pooled connection, with DNS, TCP and TLS.",
        .bounds = http_connection_pool_queue_duration_boundaries_ms,
        .attributes = by_connect,
        .recorder =
            "record_http_connection_pool_connect_duration(duration_ms, outcome, server_name)"},
    instrument_row{.name = http_connection_pool_connect_instrument,
                   .kind = instrument_kind::observable_counter,
                   .how = aggregation::observed,
                   .unit = "{connection}",
                   .description = "Connection acquisitions asked of the pool, also those that "
                                  "later failed or were abandoned.",
                   .attributes = by_destination,
                   .recorder = "register_http_connection_pool_connect_counter(snapshot)"},
    // Rollouts.
    instrument_row{.name = rollout_completed_instrument,
                   .unit = "1",
                   .description = "Rollout attempts that the collection driver finished handling.",
                   .attributes = by_completion,
                   .recorder = "record_rollout_completed(outcome, dispatch_name, "
                               "failure{failure_class, failure_kind, failure_type} = {})"},
    instrument_row{
        .name = rollout_rewarded_instrument,
        .unit = "1",
        .description = "Scored rollout attempts with a numeric reward, by the range it falls in.",
        .attributes = by_reward,
        .recorder = "record_rollout_reward(reward, dispatch_name, masked)"},
    instrument_row{.name = rollout_health_verdict_instrument,
                   .unit = "1",
                   .description = "Rollouts evaluated for health, by verdict.",
                   .attributes = by_verdict,
                   .recorder = "record_rollout_health(verdict, outcome, flagged_checks)"},
    instrument_row{.name = rollout_health_flagged_instrument,
                   .unit = "1",
                   .description = "Rollouts that a health check flagged, once for each check.",
                   .attributes = by_check,
                   .recorder = "record_rollout_health(verdict, outcome, flagged_checks)"},
    // The five without attributes.
    instrument_row{.name = server_request_duration_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one request to a gym server.",
                   .bounds = server_startup_boundaries_ms,
                   .recorder = "record_server_request(duration_ms)"},
    instrument_row{.name = rollout_duration_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one rollout.",
                   .bounds = server_startup_boundaries_ms,
                   .recorder = "record_rollout_duration(duration_ms)"},
    instrument_row{.name = verify_duration_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one verification.",
                   .bounds = server_startup_boundaries_ms,
                   .recorder = "record_verify(duration_ms, succeeded)"},
    instrument_row{
        .name = verify_success_rate_instrument,
        .kind = instrument_kind::gauge,
        .how = aggregation::ratio,
        .unit = "",
        .description = "Share of verifications that succeeded since this process started.",
        .recorder = "record_verify(duration_ms, succeeded)"},
    instrument_row{.name = servers_active_instrument,
                   .kind = instrument_kind::gauge,
                   .how = aggregation::last_value,
                   .unit = "",
                   .description = "Gym servers that are up, written by the orchestrator alone.",
                   .recorder = "record_active_servers(count)"},
    // Sandbox, beyond the page: what its success-only durations do not show.
    instrument_row{.name = sandbox_start_outcome_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one sandbox start, also of one that failed.",
                   .bounds = sandbox_duration_boundaries_ms,
                   .attributes = by_sandbox_outcome,
                   .recorder = "record_sandbox_start_outcome(duration_ms, outcome, provider)",
                   .extension = true},
    instrument_row{.name = sandbox_exec_outcome_instrument,
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one command in a sandbox, also of one that failed.",
                   .bounds = sandbox_duration_boundaries_ms,
                   .attributes = by_sandbox_outcome,
                   .recorder = "record_sandbox_exec_outcome(duration_ms, outcome, provider)",
                   .extension = true},
    instrument_row{.name = sandbox_release_instrument,
                   .unit = "1",
                   .description = "Attempts to release a sandbox, by how they ended.",
                   .attributes = by_release_outcome,
                   .recorder = "record_sandbox_release(outcome, provider)",
                   .extension = true},
    instrument_row{.name = sandbox_starting_instrument,
                   .kind = instrument_kind::up_down_counter,
                   .unit = "{sandbox}",
                   .description = "Sandbox starts under way now.",
                   .attributes = by_provider,
                   .recorder = "record_sandbox_starting(delta, provider)",
                   .extension = true},
    // Telemetry about telemetry.
    instrument_row{.name = "gym.telemetry.dropped_total",
                   .unit = "1",
                   .description = "Records that were dropped because their value is none.",
                   .attributes = by_drop,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.unknown_value_total",
                   .unit = "1",
                   .description = "Recorded attribute values that are in no list of known ones.",
                   .attributes = by_attribute,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.series",
                   .kind = instrument_kind::gauge,
                   .how = aggregation::last_value,
                   .unit = "{series}",
                   .description = "Series of an instrument, its overflow series included.",
                   .attributes = by_instrument,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.overflowed_total",
                   .unit = "1",
                   .description = "Records that went to the overflow series of their instrument.",
                   .attributes = by_instrument,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.export_total",
                   .unit = "1",
                   .description = "Exports, by how they ended: ok, partial, rejected or failed.",
                   .attributes = by_export,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.export_rejected_points_total",
                   .unit = "1",
                   .description = "Points that a receiver took note of and refused.",
                   .attributes = by_exporter,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.export_duration_ms",
                   .kind = instrument_kind::histogram,
                   .how = aggregation::histogram,
                   .unit = "ms",
                   .description = "Time of one export, with its retries and pauses.",
                   .bounds = export_duration_boundaries_ms,
                   .attributes = by_exporter,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.export_last_success_seconds",
                   .kind = instrument_kind::gauge,
                   .how = aggregation::last_value,
                   .unit = "s",
                   .description = "Wall-clock time of the last export that succeeded.",
                   .attributes = by_exporter,
                   .self_metric = true},
    instrument_row{.name = "gym.telemetry.spooled_bytes",
                   .kind = instrument_kind::gauge,
                   .how = aggregation::last_value,
                   .unit = "By",
                   .description = "Bytes in the spool that wait to be sent.",
                   .self_metric = true},
};

// The index of a row, found by its literal name. A name that is not in the table does not compile.
consteval engine::instrument_id id_of(std::string_view name) {
    for (std::size_t i = 0; i < catalogue.size(); ++i)
        if (catalogue[i].name == name) return static_cast<engine::instrument_id>(i);
    throw "no instrument of this name in the table";
}

// The same for a name that is known at run time only; catalogue.size() when there is none.
constexpr std::size_t find_row(std::string_view name) noexcept {
    std::size_t i = 0;
    while (i < catalogue.size() && catalogue[i].name != name) ++i;
    return i;
}

}  // namespace gym::telemetry::instruments
