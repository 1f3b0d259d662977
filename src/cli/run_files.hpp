// SPDX-License-Identifier: Apache-2.0
//
// What the files of a collection run are, by their names.
#pragma once

#include <string>
#include <string_view>

namespace gymtel {

enum class file_role {
    scored,       // attempts that went to the main output
    failed,       // STEM_failures.jsonl: attempts that failed
    no_rollouts,  // inputs, verdicts, aggregates
};

// Names as upstream writes them; `.gz` may follow.
file_role role_of(std::string_view path);

// The failures file that belongs beside STEM.jsonl; empty when the name is of another form.
std::string failures_file_of(std::string_view path);

}  // namespace gymtel
