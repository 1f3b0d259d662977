// SPDX-License-Identifier: Apache-2.0
//
// The parts of `expect` that several drivers share. Each throws failure when one does not hold, and
// does nothing where the case has no such key, unless absence means zero.
#pragma once

#include "case_file.hpp"
#include "case_telemetry.hpp"
#include "observations.hpp"

namespace gym::telemetry::cases {

// points, sum_tolerance, absent.
void check_points(const case_file& c, case_telemetry& t);
// dropped_measurements, unknown_values.
void check_self_metrics(const case_file& c, const observations& seen);
// points_by_meter.
void check_meters(const case_file& c, case_telemetry& t);
// unit, monotonic, bounds, instruments_created.
void check_instruments(const case_file& c, const observations& seen);

// The property no_label_contains, for drivers that have no other.
void check_label_properties(const case_file& c, const observations& seen);

// Records dropped because their value is none.
std::int64_t dropped_values(const observations& seen);

}  // namespace gym::telemetry::cases
