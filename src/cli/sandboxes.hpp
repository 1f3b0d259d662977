// SPDX-License-Identifier: Apache-2.0
//
// gymtel sandboxes: what a ledger says.
#pragma once

#include <string>

namespace gymtel {

struct sandboxes_options {
    std::string ledger;  // folder; empty: NEMO_GYM_OTEL_LEDGER, else the default one
    bool json = false;
    bool forget = false;  // the orphans, afterwards
};

int run_sandboxes(const sandboxes_options& options);

}  // namespace gymtel
