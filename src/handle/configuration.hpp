// SPDX-License-Identifier: Apache-2.0
//
// From environment and configuration block to settings. docs/configuration.md has every rule.
#pragma once

#include "base/environment.hpp"

#include <gym/telemetry/options.hpp>

#include <string>

namespace gym::telemetry::detail {

// Resolves every setting: NEMO_GYM_OTEL_<KEY>, then NEMO_LENS_<KEY>, then the block, then the
// default. What cannot be read is one complaint each and costs that value only. Starts nothing and
// changes no variable. Any thread, without a lock held, since the diagnostics handler is called.
// Without exporters of its own (the bridge) telemetry is on however those are configured.
settings resolve_settings(const options& block, const environment& variables,
                          bool own_exporters = true);

// What names this process in the resource.
struct service_identity {
    std::string name;   // service.name
    std::string group;  // nemo.gym.service_group; empty: left out
};

// `<name>/<server>` of the group `<name>`, or the plain name when there is no server or
// service_name_per_server is off.
service_identity service_identity_of(const settings& resolved);

// Twelve random hexadecimal digits, made once in the process that is asked first. A forked child
// keeps them: it belongs to the same run.
const std::string& made_run_id();

}  // namespace gym::telemetry::detail
