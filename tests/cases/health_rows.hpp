// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_value.hpp"

#include <string>

namespace gym::telemetry::cases {

// A saved row, as JSON, from its short form in a case (`health_row` of the vocabulary).
std::string saved_row(const json_value& row);

}  // namespace gym::telemetry::cases
