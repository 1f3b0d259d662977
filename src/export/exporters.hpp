// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/exporter.hpp"

#include <gym/telemetry/options.hpp>

#include <memory>
#include <vector>

namespace gym::telemetry::detail {

// The exporters of config.exporters that can be built, local ones first, so that a receiver that
// stalls takes no time from them. What cannot be built has been complained about.
std::vector<std::unique_ptr<exporter>> make_exporters(const settings& config);

}  // namespace gym::telemetry::detail
