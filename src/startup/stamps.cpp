// SPDX-License-Identifier: Apache-2.0
#include "startup/stamps.hpp"

#include "base/clock.hpp"

namespace gym::telemetry::detail {

namespace {

// None for what is missing, no integer, not positive, or later than the entry.
std::optional<std::int64_t> read_stamp(const environment& variables, std::string_view name,
                                       std::int64_t entry_wall_ns) {
    const auto text = variables.get(name);
    const auto value = text ? parse_integer(*text) : std::nullopt;
    if (!value || *value <= 0 || *value > entry_wall_ns) return std::nullopt;
    return value;
}

}  // namespace

startup_stamps read_stamps(const environment& variables, std::int64_t entry_wall_ns) {
    startup_stamps stamps;
    stamps.spawn_ns = read_stamp(variables, startup_spawn_variable, entry_wall_ns);
    stamps.setup_done_ns = read_stamp(variables, startup_setup_done_variable, entry_wall_ns);
    stamps.serve_ns = read_stamp(variables, startup_serve_variable, entry_wall_ns);
    if (!stamps.spawn_ns || stamps.setup_done_ns < stamps.spawn_ns) stamps.setup_done_ns.reset();
    if (const auto text = variables.get(startup_traceparent_variable))
        stamps.parent = parse_traceparent(*text).value_or(span_context{});
    return stamps;
}

std::pair<std::string, std::string> stamp_now(std::string_view variable) {
    return {std::string(variable), std::to_string(system_wall_ns())};
}

}  // namespace gym::telemetry::detail
