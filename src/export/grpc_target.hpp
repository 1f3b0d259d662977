// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/grpc_transport.hpp"

#include <gym/telemetry/options.hpp>

namespace gym::telemetry::detail {

bool goes_over_grpc(const settings& config, signal_kind signal) noexcept;

// Where each signal goes; a signal that does not go over gRPC, or whose certificates cannot be read
// (that is complained about), has no address.
grpc_targets grpc_targets_of(const settings& config);

}  // namespace gym::telemetry::detail
