// SPDX-License-Identifier: Apache-2.0
//
// What `gymtel replay --json` prints.
#pragma once

#include <gym/telemetry/collection.hpp>

#include <cstdint>
#include <string>

namespace gymtel {

struct replay_counts {
    std::uint64_t rows = 0;
    std::uint64_t rejected = 0;
    std::uint64_t files = 0;
};

// One object on one line, with a newline. This library's own figures are left out.
std::string to_json(const gym::telemetry::collection& collected, const replay_counts& counts);

}  // namespace gymtel
