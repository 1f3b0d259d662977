// SPDX-License-Identifier: Apache-2.0
//
// Records of providers that are written in shell. `gymtel emit sandbox-startup --provider P MS` and
// its siblings append a line to a file; who takes the file in records all of it as one stream:
// `gymtel emit --flush`, or a long-lived process of the run through this function. One process a
// line would leave as many streams of one record each, and up-down sums that no backend can hold
// together once those streams are stale.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <cstdint>
#include <string>

namespace gym::telemetry {

struct emitted_records {
    std::int64_t recorded = 0;
    std::int64_t refused = 0;  // lines that are none; they are taken in as well
    // Whether the lines were taken: false when telemetry is off, when the span group `sandbox` is
    // off (the gate of these records), when another process is at it, or when `send` failed. Then
    // the lines stay.
    bool taken = false;
};

// Where the lines of a run stand: NEMO_GYM_OTEL_SPOOL or else $XDG_STATE_HOME/gym-telemetry (or
// ~/.local/state), and there emitted[-<run id>].records.
GYM_TELEMETRY_API std::string default_emitted_file();

// Records the lines of the file and removes them from it. With `send`, they are removed only when
// flush() said that all was sent; a process that is killed in between leaves them for another time,
// so a line may be sent twice but is not lost. A file that is not there is an empty one. Any
// thread; blocks on the file, and on the network with `send`.
GYM_TELEMETRY_API emitted_records record_emitted(const std::string& file, bool send);

}  // namespace gym::telemetry
