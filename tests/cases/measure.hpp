// SPDX-License-Identifier: Apache-2.0
//
// What this process costs.
#pragma once

#include "sanitizers.hpp"

#include <cstdint>

namespace gym::telemetry::cases {

// Whether a sanitizer is compiled in: then neither time nor memory says anything of the product.
#ifdef GYM_TELEMETRY_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// The growth of the resident set from the making of this object to its peak.
class memory_growth {
public:
    // Brings in the pages of the program first, so that code which runs for the first time does not
    // count as growth, and begins the peak anew.
    memory_growth();
    double peak_mib() const;

private:
    std::int64_t before_kib_;
};

// Processor time of the calling thread: what else runs on the machine does not count.
double thread_cpu_ns();

// Threads and sockets of this process now.
int thread_count();
int socket_count();

}  // namespace gym::telemetry::cases
