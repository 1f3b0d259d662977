// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace gym::telemetry::python {

// Init, shutdown, collect and what is in force, as functions of the private module. The package
// gives them their public form.
PyMethodDef* lifecycle_methods();

}  // namespace gym::telemetry::python
