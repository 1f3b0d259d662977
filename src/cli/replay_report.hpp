// SPDX-License-Identifier: Apache-2.0
//
// What `gymtel replay` prints for people: 80 columns, the sentence that matters first.
#pragma once

#include <string>

#include <cli/console.hpp>
#include <cli/replay_summary.hpp>

namespace gymtel {

std::string to_report(const run_summary& run, const look& how);

}  // namespace gymtel
