// SPDX-License-Identifier: Apache-2.0
//
// Records of providers that are written in shell. `gymtel emit sandbox-startup --provider P MS` and
// its siblings add a line to a file; the totals of all its lines are one stream, with an instance
// id and a start that stand in the file. Who sends it may change: `gymtel emit --flush`, a process
// with the setting `emitted`, which does it at each of its exports, or one that calls send_emitted.
// A +1 that one of them sent and a -1 that another sends add up to 0 in the receiver, and nothing
// counts twice however often it is sent.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <cstdint>
#include <string>

namespace gym::telemetry {

struct emitted_records {
    std::int64_t recorded = 0;  // lines of the file that are records, all since it was made
    std::int64_t refused = 0;   // lines that are none
    // Whether every exporter took the totals, or there are none. False when telemetry is off, when
    // the span group `sandbox` is off (the gate of these records), or when another process sends
    // them all the time that there is. What was not sent is in the next request.
    bool sent = false;
};

// Where the lines of a run stand: NEMO_GYM_OTEL_SPOOL or else $XDG_STATE_HOME/gym-telemetry (or
// ~/.local/state), and there emitted[-<run id>].records.
GYM_TELEMETRY_API std::string default_emitted_file();

// Sends the totals of the file's lines now, with the settings in force or else those that the
// environment says; needs no init. A file that is not there has no lines. Any thread; blocks up to
// the export timeout (OTEL_EXPORTER_OTLP_TIMEOUT). Memory errors throw.
GYM_TELEMETRY_API emitted_records send_emitted(const std::string& file);

}  // namespace gym::telemetry
