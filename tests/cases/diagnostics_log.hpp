// SPDX-License-Identifier: Apache-2.0
//
// What the library complains about while a case is played.
#pragma once

#include "case_file.hpp"

#include <gym/telemetry/diagnostics.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace gym::telemetry::cases {

// The library's handler as long as it lives.
class diagnostics_log {
public:
    diagnostics_log();
    ~diagnostics_log();
    diagnostics_log(const diagnostics_log&) = delete;
    diagnostics_log& operator=(const diagnostics_log&) = delete;

    std::vector<std::string> messages();

private:
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

// diagnostics, diagnostic_mentions.
void check_diagnostics(const case_file& c, const std::vector<std::string>& messages);

}  // namespace gym::telemetry::cases
