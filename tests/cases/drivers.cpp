// SPDX-License-Identifier: Apache-2.0
#include "drivers.hpp"

namespace gym::telemetry::cases {

namespace {

using namespace std::chrono_literals;

// clang-format off
constexpr driver_entry all[] = {
    {"inproc", play_inproc, 60s},
    {"unit", play_unit, 60s},
    {"config", play_config, 60s},
    {"rollout_row", play_rollout_row, 60s},
    {"pool", play_pool, 60s},
    {"cli", play_cli, 300s},
    {"sandbox_wrapper", play_sandbox_wrapper, 60s},
    {"timeline", play_timeline, 60s},
    {"health", play_health, 60s},
    {"process", play_process, 120s, 6},
    {"python", play_python, 120s, 4},
};
// clang-format on

}  // namespace

const driver_entry* find_driver(std::string_view name) {
    for (const driver_entry& entry : all)
        if (entry.name == name) return &entry;
    return nullptr;
}

}  // namespace gym::telemetry::cases
