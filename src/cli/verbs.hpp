// SPDX-License-Identifier: Apache-2.0
//
// The verbs of gymtel. A new one is a row of the table in main.cpp: its name, one line of help, and
// a function that declares its options; the work is done in a file of its own.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace gymtel {

// Exit codes that all verbs share.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failure = 1;  // of gymtel itself, or of the system under it
inline constexpr int exit_usage = 2;    // wrong arguments, or nothing that could be read
inline constexpr int exit_partial = 3;  // done, but for what was refused or damaged

struct verb {
    const char* name;
    const char* summary;
    // Declares the verb's options on its command, and returns what runs it with them.
    std::function<int()> (*declare)(CLI::App& command);
};

}  // namespace gymtel
