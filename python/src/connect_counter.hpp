// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace gym::telemetry::python {

// Registers a callable that returns a dict of server names to counts. The callable is asked on the
// collecting thread, with the interpreter lock. Never raises.
void register_snapshot(PyObject* callable);

}  // namespace gym::telemetry::python
