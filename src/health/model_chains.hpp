// SPDX-License-Identifier: Apache-2.0
//
// The calls of a rollout by model: whether the last one of each failed. Per model, because a judge
// that answers after a failed policy call would otherwise look like a recovery.
#pragma once

#include "health/key_index.hpp"
#include "health/trajectory.hpp"

#include <cstdint>
#include <vector>

namespace gym::telemetry::health {

struct model_chain {
    optional_text model_name;  // not present: calls without a model
    std::uint32_t last = 0;    // position of the last call, by start and then position
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    std::uint64_t successful = 0;
    bool all_started = true;  // each call says when it started
};

// In the order of the models' first calls.
std::vector<model_chain> model_chains(const trajectory_facts& facts, key_index& keys);

// Without times several calls have no order; then only a chain that failed throughout counts.
bool ended_on_failure(const model_chain& chain, const trajectory_facts& facts);

}  // namespace gym::telemetry::health
