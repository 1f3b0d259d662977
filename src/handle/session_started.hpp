// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gym/telemetry/options.hpp>

namespace gym::telemetry::detail {

// Called when a session has been put in force, by the thread that called init, no lock held. For
// layers above that have something to do at the start of a process, which handle may not include:
// one of them (src/sandbox/ledger.cpp) defines it, and where none is linked nothing happens.
void session_started(const settings& config) noexcept;

}  // namespace gym::telemetry::detail
