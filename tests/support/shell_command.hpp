// SPDX-License-Identifier: Apache-2.0
//
// A command as the shell runs it: what it printed, and its exit code.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace gym::telemetry::test {

struct answer {
    int code;
    std::string out;
};

inline answer run_shell(const std::string& command) {
    FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
    answer seen{};
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) seen.out += part.data();
    seen.code = WEXITSTATUS(pclose(pipe));
    return seen;
}

}  // namespace gym::telemetry::test
