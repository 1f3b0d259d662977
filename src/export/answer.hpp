// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/exporter.hpp"

#include <string>
#include <string_view>

namespace gym::telemetry::detail {

std::string_view name_of(signal_kind signal) noexcept;

// The beginning of every complaint about an export.
std::string complaint_about(signal_kind signal, std::string_view shown_url, std::string_view what);

// What the body of a success says: ok, or partial with the number of points that were rejected,
// complained about. A warning is complained about, too.
outcome read_success(shipment& what, std::string_view body, std::string_view shown_url);

}  // namespace gym::telemetry::detail
