// SPDX-License-Identifier: Apache-2.0
//
// The environment stamps, and which of them can be believed.
#pragma once

#include "base/environment.hpp"

#include <gym/telemetry/startup.hpp>
#include <gym/telemetry/trace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gym::telemetry::detail {

// Those that stand the comparison with the entry and with each other; wall clock in ns.
struct startup_stamps {
    std::optional<std::int64_t> spawn_ns;
    std::optional<std::int64_t> setup_done_ns;
    std::optional<std::int64_t> serve_ns;
    span_context parent{};  // not valid: none
};

startup_stamps read_stamps(const environment& variables, std::int64_t entry_wall_ns);

// Name and value of a stamp of now.
std::pair<std::string, std::string> stamp_now(std::string_view variable);

}  // namespace gym::telemetry::detail
