// SPDX-License-Identifier: Apache-2.0
//
// gymtel spool: sends what the last flushes of processes could not, when no other process will.
#pragma once

#include <string>

namespace gymtel {

struct spool_options {
    std::string folder;  // empty: NEMO_GYM_OTEL_SPOOL
    std::string otlp;    // URL; empty: as OTEL_EXPORTER_OTLP_ENDPOINT and its kin say
};

int run_spool(const spool_options& options);

}  // namespace gymtel
