// SPDX-License-Identifier: Apache-2.0
//
// OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`, values percent-encoded. Values are secrets:
// no complaint holds one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

// Names and decoded values in order. An entry that is no header (no `=`, a name that HTTP does not
// allow, a control character in the value, a header that the exporter itself sets) is left out and
// complained about by its number.
std::vector<std::pair<std::string, std::string>> parse_request_headers(std::string_view list);

}  // namespace gym::telemetry::detail
