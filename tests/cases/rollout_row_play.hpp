// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_file.hpp"

namespace gym::telemetry::cases {

// The call `record_rollout_row`: the driver hook of the rollout call site.
void record_row(const call& f);

}  // namespace gym::telemetry::cases
