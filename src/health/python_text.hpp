// SPDX-License-Identifier: Apache-2.0
//
// How Python's str() writes a JSON value: rollout ids need not be strings, and the report shows
// them as NeMo Gym does.
#pragma once

#include "health/json_value.hpp"

#include <string>

namespace gym::telemetry::health {

void append_python_text(std::string& out, json_value value);

}  // namespace gym::telemetry::health
