// SPDX-License-Identifier: Apache-2.0
//
// The report for people: first the sentence that matters, then a table, at most 80 columns.
#pragma once

#include "health/report_reduce.hpp"

#include <string>

namespace gym::telemetry::health {

// "4 of 128 rollouts unhealthy: model_call_failed in 3, all on env math"
std::string headline(const reduced_report& report);

// The headline, the checks that found or could not observe something, the environments, and the
// two lines that NeMo Gym prints.
std::string report_text(const reduced_report& report, const std::string& summary_path);

}  // namespace gym::telemetry::health
