// SPDX-License-Identifier: Apache-2.0
//
// What the engine keeps of a series' attributes: encoded once, when the series is born.
#pragma once

#include "engine/instrument_row.hpp"

#include <string>
#include <string_view>

namespace gym::telemetry::detail {

// Of type engine::encode_attributes. Appends the attributes as OTLP, each with the tag that
// attributes have in the data point of this row. Optional values that are empty are left out; an
// overflow series has the one attribute otel.metric.overflow = true. May throw bad_alloc.
void encode_series_attributes(const engine::instrument_row& row, const std::string_view* values,
                              bool overflow, std::string& to);

}  // namespace gym::telemetry::detail
