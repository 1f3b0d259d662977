// SPDX-License-Identifier: Apache-2.0
//
// The process's one handle, for the parts of the library that stand above it.
#pragma once

#include "handle/session.hpp"

#include <gym/telemetry/lifecycle.hpp>

#include <memory>

namespace gym::telemetry::detail {

// What is in force; null while telemetry is off. Any thread.
std::shared_ptr<session> current_session() noexcept;

// Ends what is in force at the process's end, within the configured timeout; starts nothing after.
void shutdown_at_exit() noexcept;

// Around fork(). The child begins anew, with its own identity, when it records for the first time.
void install_fork_handlers() noexcept;

}  // namespace gym::telemetry::detail
