// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace gym::telemetry::python {

// is_span_group_enabled(group), metrics_enabled(), and for the drop-in is_call_site_enabled(group)
// and set_outer_gate(callable or None).
PyMethodDef* gate_methods();

}  // namespace gym::telemetry::python
