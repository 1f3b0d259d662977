// SPDX-License-Identifier: Apache-2.0
//
// Whether what is intended fits into what there is, asked once when a pool is made.
#pragma once

#include "base/result.hpp"
#include "http/admission.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gym::telemetry::http {

// Of all workers together, but for the descriptors, which every process has for itself.
struct capacity_question {
    slot_limits limits{};
    std::int64_t workers = 1;
    std::int64_t intended = 0;           // requests at a time; 0: unknown, not checked
    std::int64_t intended_per_host = 0;  // the same for one host
    std::int64_t descriptors = 0;        // soft limit of the process; 0: unknown or unlimited
    std::int64_t ephemeral_ports = 0;    // of the machine, for one destination; 0: unknown
};

struct capacity_warning {
    std::string subject;  // tells the warnings apart
    std::string text;     // with the numbers
};

struct capacity_plan {
    slot_limits limits;  // of one process
    std::vector<capacity_warning> warnings;
};

// Limits are divided over the workers and rounded down, intended concurrency is rounded up. 0 stays
// no limit; a positive limit that leaves nothing for a worker is an error, and so is a negative
// number.
telemetry::detail::result<capacity_plan> plan_capacity(const capacity_question& question);

// What this process and machine have, in the last two fields of a question.
void measure_capacity(capacity_question& question) noexcept;

}  // namespace gym::telemetry::http
