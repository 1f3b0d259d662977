// SPDX-License-Identifier: Apache-2.0
//
// What a replay found, in the terms of its report: sums over the collected points.
#pragma once

#include <gym/telemetry/collection.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <cli/replay_sink.hpp>

namespace gymtel {

inline constexpr std::size_t reward_range_count = 5;

// By range, in this order: negative, zero, partial, full, above one.
using reward_counts = std::array<std::uint64_t, reward_range_count>;

std::uint64_t sum(const reward_counts& counts);

struct environment_summary {
    std::uint64_t scored = 0;
    std::uint64_t failed = 0;
    std::uint64_t omitted = 0;
    reward_counts rewards{};  // not masked
    reward_counts masked{};
    token_sums tokens{};

    std::uint64_t attempts() const noexcept { return scored + failed + omitted; }
    std::uint64_t without_reward() const { return scored - sum(rewards) - sum(masked); }
    void add(const environment_summary& other);
};

struct failure_summary {
    std::uint64_t count = 0;
    std::string environment{};  // empty in the sums over all of them
    std::string failure_class{};
    std::string kind{};
    std::string type{};
};

struct run_summary {
    std::map<std::string, environment_summary> environments;
    std::vector<failure_summary> failures;  // the most frequent first
    std::uint64_t rows = 0;
    std::uint64_t rejected = 0;
    std::uint64_t drained = 0;
    std::uint64_t files = 0;
    std::uint64_t files_refused = 0;
    std::uint64_t files_damaged = 0;
    std::uint64_t files_skipped = 0;
    bool health_asked = true;
    std::uint64_t evaluated = 0;  // rollouts with a health verdict
    std::uint64_t unhealthy = 0;
    std::uint64_t unobserved = 0;

    environment_summary total() const;
    // Over all environments, the most frequent first.
    std::vector<failure_summary> total_failures() const;
};

// Fills environments and failures. The other figures are the caller's.
run_summary summarize(const gym::telemetry::collection& collected,
                      const tokens_by_environment& tokens);

}  // namespace gymtel
