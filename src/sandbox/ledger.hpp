// SPDX-License-Identifier: Apache-2.0
//
// The ledger of this process: which file its sandboxes stand in. A few hundred nanoseconds for each
// sandbox while there is one, two loads while there is none.
#pragma once

#include "base/environment.hpp"
#include "sandbox/ledger_file.hpp"

#include <gym/telemetry/ledger.hpp>
#include <gym/telemetry/options.hpp>

#include <string>
#include <string_view>

namespace gym::telemetry::detail {

// Files that one process fills at most: 16,320 sandboxes held at once. Further ones are not in the
// ledger, and one diagnostic says so.
inline constexpr std::size_t ledger_files_max = 64;

// The folder that the setting `ledger` means: none when it is empty or a boolean that is false, the
// default folder when it is a boolean that is true, else itself.
std::string ledger_folder_of(std::string_view setting, const environment& variables);

// Enters a sandbox when telemetry is on and its settings name a ledger; else null. What goes wrong
// is diagnosed once. Never throws.
ledger_cell* ledger_add(std::string_view provider, std::string_view id) noexcept;

// Null is nothing. Any thread.
void ledger_remove(ledger_cell* cell) noexcept;
void ledger_mark_orphaned(ledger_cell* cell) noexcept;

// One diagnostic for each provider with sandboxes in the folder that nobody holds, and the removal
// of files that say nothing any more.
void report_orphans(const std::string& folder) noexcept;

}  // namespace gym::telemetry::detail
