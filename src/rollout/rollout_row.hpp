// SPDX-License-Identifier: Apache-2.0
//
// From a row that was read to what is recorded of it.
#pragma once

#include <gym/telemetry/rollout.hpp>

#include <rollout/row.hpp>

namespace gym::telemetry::rollout {

// The texts are the row's: they live as long as its own.
rollout_row to_recorded(const row& r) noexcept;

}  // namespace gym::telemetry::rollout
