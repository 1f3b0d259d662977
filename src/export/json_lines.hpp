// SPDX-License-Identifier: Apache-2.0
//
// Requests as lines of OTLP JSON, the shape that the OpenTelemetry Collector's file exporter writes
// and its otlpjsonfile receiver reads: one request an object, one object a line.
#pragma once

#include "export/exporter.hpp"

#include <memory>
#include <string>

namespace gym::telemetry::detail {

// Appends to a file, which is made with mode 0600 when it is not there. A line is one write, so
// that several processes may share the file. Null, with a diagnostic, when it cannot be opened.
std::unique_ptr<exporter> make_file_exporter(const std::string& path);

// To stdout.
std::unique_ptr<exporter> make_console_exporter();

}  // namespace gym::telemetry::detail
