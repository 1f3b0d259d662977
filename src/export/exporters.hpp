// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <gym/telemetry/options.hpp>

#include "export/exporter.hpp"

namespace gym::telemetry::detail {

// The exporters of config.exporters that can be built, local ones first, so that a receiver that
// stalls takes no time from them. What cannot be built has been complained about.
std::vector<std::unique_ptr<exporter>> make_exporters(const settings& config);

}  // namespace gym::telemetry::detail
