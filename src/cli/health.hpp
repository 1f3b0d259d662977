// SPDX-License-Identifier: Apache-2.0
//
// gymtel health: the post-run health report over rollout files. Rules: docs/health.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gymtel {

struct health_command {
    std::vector<std::string> files;
    std::vector<std::string> ignored_checks;  // ids, or comma-separated lists of them
    std::string output_folder;                // empty: that of the first file
    std::optional<std::uint32_t> workers;
    bool json = false;
};

// Returns the exit code: 0 the report was written, whatever its verdicts; 2 an unknown check, a
// file that is not there or rows of which no report can be made, and nothing was written.
int run_health(const health_command& command);

}  // namespace gymtel
