// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/environment.hpp"

#include <gym/telemetry/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

// The variables to add to `variables` for a process about to be started, so that it resolves the
// same settings: each whose variable (with either prefix) is not set. OTLP's only when they differ
// from the default, which then comes from the block. A run id under NEMO_LENS_ is used by the child
// as it stands and not copied. Nothing while telemetry is off. Never the server's name: that is
// each process's own.
std::vector<std::pair<std::string, std::string>> child_environment_of(const settings& resolved,
                                                                      const environment& variables);

}  // namespace gym::telemetry::detail
