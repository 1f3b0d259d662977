// SPDX-License-Identifier: Apache-2.0
//
// The ends of a process that still send the last interval: exit and a return from main always,
// std::terminate and SIGTERM only when the application asked for it. However it ends, it ends the
// way it was ending.
#pragma once

#include <gym/telemetry/options.hpp>

namespace gym::telemetry::detail {

// Called by the first init that turns telemetry on, before any thread is started. libcurl's global
// state is made first, so that the exit handler that is registered here runs before libcurl and
// TLS are torn down.
void prepare_process_end(const settings& config);

}  // namespace gym::telemetry::detail
