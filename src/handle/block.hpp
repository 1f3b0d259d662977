// SPDX-License-Identifier: Apache-2.0
//
// A configuration block as it stands in a file, for those whose block is not `options`: the Python
// package (`telemetry:` of a gym's YAML) and the conformance driver.
#pragma once

#include "base/result.hpp"

#include <gym/telemetry/options.hpp>

#include <span>
#include <string>
#include <utility>

namespace gym::telemetry::detail {

// The block's entries, each a key and its value as JSON text, as options. A value of the wrong type
// is one complaint and leaves the default, as config.md has it for variables (a boolean that is
// none reads as false). Numbers and booleans may be texts, lists comma texts, and texts numbers,
// since YAML authors quote as they like; null is not set. Keys that nobody knows go to `extra`.
// An error only when a value is no JSON.
result<options> options_from_entries(
    std::span<const std::pair<std::string, std::string>> key_and_json);

}  // namespace gym::telemetry::detail
