// SPDX-License-Identifier: Apache-2.0
//
// Where a pool's measurements go: to the recorders, or in tests to something that throws.
#pragma once

#include <string_view>

namespace gym::telemetry::http {

// Each may throw: the admission lets nothing of it reach the caller.
class pool_recorder {
public:
    virtual ~pool_recorder() = default;
    // The pool was asked for a connection to this destination.
    virtual void asked(std::string_view destination) = 0;
    // A wait has ended.
    virtual void queued(double duration_ms, std::string_view constraint, std::string_view outcome,
                        std::string_view destination) = 0;
    // An attempt to open a new connection has ended.
    virtual void connected(double duration_ms, std::string_view outcome,
                           std::string_view destination) = 0;
};

// The real one; counts go to the process-wide connect_counts. Stateless, never destroyed.
pool_recorder& telemetry_recorder() noexcept;

// What a pool asks once, when it is made: the real recorder while metrics are on, else null, which
// switches all measuring off for the life of the pool.
pool_recorder* recorder_by_gate() noexcept;

}  // namespace gym::telemetry::http
