// SPDX-License-Identifier: Apache-2.0
//
// The ledger of sandboxes: an optional file for each process that says which sandboxes it holds, so
// that those of a process that was killed can be found and removed.
//
//     gym::telemetry::init({.enabled = true, .span_groups = "all", .ledger = "/var/tmp/ledger"});
//
// `ledger` names a folder; `true` is $XDG_STATE_HOME/gym-telemetry/ledger (~/.local/state when that
// is not set); nothing by default, which costs nothing. The scopes of sandbox.hpp write it; it
// holds ids, providers and times, readable by the user alone. `gymtel sandboxes` lists it. An
// orphan gives a diagnostic each time that a process with this ledger starts, until it is
// forgotten.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gym::telemetry {

struct ledger_entry {
    std::string provider;
    std::string id;             // as the provider's handle has it; cut at 160 bytes
    std::int32_t pid = 0;       // of the process that started it
    std::int64_t birth_ns = 0;  // wall clock, since the epoch
    bool is_orphaned = false;   // nobody holds it: its process is gone, or lost it
};

// $XDG_STATE_HOME/gym-telemetry/ledger, empty when neither that variable nor HOME is set.
GYM_TELEMETRY_API std::string default_ledger_folder();

// What the ledger says now, oldest first. Files that cannot be read, or are none, are left out, and
// so is a folder that is not there. Throws bad_alloc only.
GYM_TELEMETRY_API std::vector<ledger_entry> read_ledger(const std::string& folder);

// Removes the files of processes that are gone, with what they say. Returns how many sandboxes were
// forgotten. Call it when the orphans have been seen to.
GYM_TELEMETRY_API std::int64_t forget_orphans(const std::string& folder);

}  // namespace gym::telemetry
