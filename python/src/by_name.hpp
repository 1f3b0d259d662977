// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace gym::telemetry::python {

// Functions that go by an instrument's name, for the package's meter and for foreign meters:
//   record_by_name(instrument, value, attributes) -> bool, false when no row of the table fits
//   attributes_of(instrument, values) -> dict, what the rules make of a recorder's values
//   instruments() -> list of dicts, the table
PyMethodDef* by_name_methods();

}  // namespace gym::telemetry::python
