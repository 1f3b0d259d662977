// SPDX-License-Identifier: Apache-2.0
//
// Who sends: the attributes of the OTLP Resource.
#pragma once

#include <gym/telemetry/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

using resource_attributes = std::vector<std::pair<std::string, std::string>>;

// service.name and nemo.gym.service_group, nemo.run.id, service.instance.id, process.pid,
// host.name, the library's name and version, and what OTEL_RESOURCE_ATTRIBUTES says of other keys.
resource_attributes resource_of(const settings& config);

// A random UUID (version 4): one for each generation, so that a forked child and a second init are
// told from what was before.
std::string make_instance_id();

}  // namespace gym::telemetry::detail
