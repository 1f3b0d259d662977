// SPDX-License-Identifier: Apache-2.0
//
// gymtel emit: telemetry for launch shells and for providers that are written in shell.
#pragma once

#include <string>

namespace gymtel {

struct emit_options {
    std::string kind;  // startup-stamp, sandbox-startup, ...
    std::string value;
    std::string provider;
    std::string file;  // of the records; empty: the default one
    bool flush = false;
};

int run_emit(const emit_options& options);

}  // namespace gymtel
