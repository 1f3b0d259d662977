// SPDX-License-Identifier: Apache-2.0
//
// The call site of a collection driver: one call for each attempt that it finished handling, after
// it wrote the row or decided to omit it.
//
//     driver.append(row_json);
//     gym::telemetry::record_rollout_row(row_json, gym::telemetry::outcome::scored, "my_env");
//
// Both forms record gym.rollout.completed_total and, for a scored row with a numeric reward,
// gym.rollout.rewarded_total. Nothing is recorded, and the row not looked at, unless the span group
// `rollout` is on. A row that a dispatch budget drained never ran and is not counted. A scored row
// carries no failure attributes, whatever stands in it.
//
// The dispatch name is the environment server, else the agent. Any thread. Source of the rules: the
// telemetry API page of NVIDIA NeMo Gym; docs/replay.md.
#pragma once

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/recorders.hpp>

#include <optional>
#include <string_view>

namespace gym::telemetry {

// What a row says, for drivers that have it at hand.
struct rollout_row {
    // Absent when the row has no reward, or one that is no number. NaN is dropped and counted.
    std::optional<double> reward{};
    bool masked = false;   // mask_sample is true
    failure why{};         // _ng_failure_class, failure_kind, _ng_failure_type
    bool drained = false;  // _ng_dispatch_drained
};

namespace detail {
GYM_TELEMETRY_API void rollout_row_json(std::string_view row_json, std::string_view outcome,
                                        std::string_view dispatch_name) noexcept;
GYM_TELEMETRY_API void rollout_row_fields(const rollout_row& row, std::string_view outcome,
                                          std::string_view dispatch_name) noexcept;
}  // namespace detail

// From the row's text, one JSON object, which is validated in passing at about 2 GB/s (and copied
// once: it allocates). Text that is no JSON object in valid UTF-8 is no row: it records nothing,
// and a diagnostic says so.
inline void record_rollout_row(std::string_view row_json, std::string_view outcome,
                               std::string_view dispatch_name) noexcept {
    if (span_group_enabled(span_group::rollout)) [[unlikely]]
        detail::rollout_row_json(row_json, outcome, dispatch_name);
}

// From fields that the driver has at hand. Costs its two recorders.
inline void record_rollout_row(const rollout_row& row, std::string_view outcome,
                               std::string_view dispatch_name) noexcept {
    if (span_group_enabled(span_group::rollout)) [[unlikely]]
        detail::rollout_row_fields(row, outcome, dispatch_name);
}

}  // namespace gym::telemetry
