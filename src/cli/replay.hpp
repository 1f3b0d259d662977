// SPDX-License-Identifier: Apache-2.0
//
// gymtel replay: plays the rows of rollout files through the recorders. Rules: docs/replay.md.
#pragma once

#include <string>
#include <vector>

namespace gymtel {

struct replay_options {
    std::vector<std::string> files;  // `-` is standard input
    bool json = false;
    bool follow = false;
    bool health = true;
    std::string otlp;  // where to send what was recorded; empty: nowhere
};

// Returns the exit code: 0 all rows were read; 3 some rows or files were refused or damaged and the
// rest was replayed; 2 no file could be read at all, and standard output stays empty.
int run_replay(const replay_options& options);

}  // namespace gymtel
