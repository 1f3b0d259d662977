// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace gym::telemetry::python {

// The recorders of the API page as functions of a module.
PyMethodDef* recorder_methods();
// Before the first call. False with an exception set.
bool intern_parameters();

}  // namespace gym::telemetry::python
