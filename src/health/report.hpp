// SPDX-License-Identifier: Apache-2.0
//
// Reads and evaluates the rows of rollout files on several threads.
#pragma once

#include "health/check_registry.hpp"
#include "health/report_record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gym::telemetry::health {

struct collected_records {
    std::vector<record_batch> batches;  // in the order of the files
    std::string error;                  // why there can be no report, if so
};

collected_records collect_records(const std::vector<std::string>& files, std::uint32_t workers,
                                  check_set ignored);

// A path as Python's pathlib prints it: without `.` parts and repeated slashes.
std::string plain_path(std::string_view path);

// min(cores, 8), at least 1.
std::uint32_t default_workers();

}  // namespace gym::telemetry::health
