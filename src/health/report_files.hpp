// SPDX-License-Identifier: Apache-2.0
//
// The two files of a report, in the shape and order of NeMo Gym 0.7.0.
#pragma once

#include "health/report_reduce.hpp"

#include <string>

namespace gym::telemetry::health {

enum class json_style : unsigned char { compact, indented };

std::string summary_json(const reduced_report& report, json_style style);

// One line of rollout_verdicts.jsonl, with its newline.
void append_verdict_line(std::string& out, const report_record& record);

}  // namespace gym::telemetry::health
