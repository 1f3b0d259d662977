// SPDX-License-Identifier: Apache-2.0
#include "handle/session_started.hpp"

namespace gym::telemetry::detail {

[[gnu::weak]] void session_started(const settings&) noexcept {}

}  // namespace gym::telemetry::detail
