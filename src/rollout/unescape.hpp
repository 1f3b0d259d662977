// SPDX-License-Identifier: Apache-2.0
//
// The text that a JSON string stands for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gym::telemetry::rollout {

// Appends what `raw`, the inside of a valid JSON string, stands for to `out`, at least the first
// `limit` bytes of it. A surrogate without its partner becomes U+FFFD.
void unescape(std::string_view raw, std::size_t limit, std::string& out);

}  // namespace gym::telemetry::rollout
