// SPDX-License-Identifier: Apache-2.0
//
// How the library complains: through the handler of <gym/telemetry/diagnostics.hpp> and nothing
// else.
#pragma once

#include <gym/telemetry/diagnostics.hpp>

#include <cstddef>
#include <string_view>

namespace gym::telemetry::detail {

// So many pairs of cause and subject are remembered. While all of them are younger than the
// interval, further ones are dropped: a flood of subjects must not become a flood of complaints.
inline constexpr std::size_t diagnostics_remembered_max = 1024;
inline constexpr long long diagnostics_interval_ns = 60'000'000'000;

// Hands `message` to the handler unless the same cause and subject was handed over within the last
// minute. `subject` tells complaints of one cause apart (a variable, an exporter, a provider) and
// is not shown. Without a handler nothing happens and nothing is remembered. Never call it with a
// lock held: the handler is the application's code. Any thread, not a signal handler; may allocate.
// Exported for the bridge library.
GYM_TELEMETRY_API void diagnose(std::string_view cause, std::string_view message,
                                std::string_view subject = {}) noexcept;

// Forgets what was handed over, as setting a handler does: a new one has been told nothing yet.
void forget_diagnostics() noexcept;

}  // namespace gym::telemetry::detail
