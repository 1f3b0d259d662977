// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace gym::telemetry::python {

// health(paths, output_folder, ignored_checks, workers) -> (error, summary as JSON text, path of
// the summary, path of the verdicts, text for people). `workers` 0 is the default. Any thread; the
// interpreter lock is free meanwhile.
PyObject* health_report_of(PyObject* module, PyObject* arguments);

}  // namespace gym::telemetry::python
