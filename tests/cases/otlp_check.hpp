// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gym::telemetry::cases {

// Property `export_stays_parseable`: what was recorded so far, as OTLP protobuf and as OTLP JSON,
// is read back by libprotobuf, and both say the same. Throws failure when they do not.
void check_export_is_parseable();

}  // namespace gym::telemetry::cases
