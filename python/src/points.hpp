// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

#include <gym/telemetry/collection.hpp>

#include <string_view>

namespace gym::telemetry::python {

owned str_of(std::string_view text);

// A list of dicts, one a point: instrument, kind, unit, attributes (a dict), and value, or count,
// sum, bounds, bucket_counts and, where known, min and max. Null with an exception set.
PyObject* list_of_points(const collection& from);

}  // namespace gym::telemetry::python
