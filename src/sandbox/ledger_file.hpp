// SPDX-License-Identifier: Apache-2.0
//
// One file of a ledger: a header and a fixed number of entries, mapped into the process that owns
// it. The kernel keeps what was stored into the mapping when the process is killed, and gives up
// the owner's lock, by which everybody else learns that the owner is gone. A POSIX lock, since a
// forked child must not hold it on; no process id is compared, since those are used again.
//
//     header   "gymldgr1", pid (int32), entries (uint32)
//     entry    state (uint32), size of provider and of id (uint16 each), birth (int64, wall clock
//     in
//              ns), provider (80 bytes), id (160 bytes); native byte order, as the folder is local
#pragma once

#include "base/result.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::detail {

inline constexpr std::size_t ledger_provider_bytes = 80;
inline constexpr std::size_t ledger_id_bytes = 160;
inline constexpr std::size_t ledger_entries_per_file = 255;  // with the header 64 KiB

enum class ledger_state : std::uint32_t { free, held, orphaned };

struct ledger_cell {
    std::atomic<std::uint32_t> state;
    std::uint16_t provider_size;
    std::uint16_t id_size;
    std::int64_t birth_ns;
    char provider[ledger_provider_bytes];
    char id[ledger_id_bytes];
};
static_assert(sizeof(ledger_cell) == 256 && std::atomic<std::uint32_t>::is_always_lock_free);

struct ledger_layout {
    char magic[8];
    std::int32_t pid;
    std::uint32_t entries;
    char reserved[240];
    ledger_cell cells[ledger_entries_per_file];
};
static_assert(sizeof(ledger_layout) == 65536);

inline constexpr std::string_view ledger_magic = "gymldgr1";
inline constexpr std::string_view ledger_suffix = ".ledger";

// What a file says.
struct ledger_contents {
    struct entry {
        ledger_state state;
        std::string provider;
        std::string id;
        std::int64_t birth_ns;
    };
    std::int32_t pid = 0;
    bool owner_lives = false;
    std::vector<entry> entries;  // the free ones left out
};

// The owner's side. One thread at a time; the mapping stays for the life of the process.
class ledger_file {
public:
    // Makes the folder (0700) where it is missing and a new file (0600) in it. The blocks are there
    // before they are mapped: a disk that fills up must not kill the process with SIGBUS.
    static result<ledger_file> create(const std::string& folder);

    // Where the sandbox stands, null when the file is full. Texts that are too long are cut.
    ledger_cell* add(std::string_view provider, std::string_view id,
                     std::int64_t birth_ns) noexcept;

    ledger_contents contents() const;
    const std::string& folder() const noexcept { return folder_; }
    const std::string& path() const noexcept { return path_; }

private:
    std::string folder_;
    std::string path_;
    ledger_layout* map_ = nullptr;
};

// The reader's side. Never for a file that this process owns: to close a file is to give up one's
// locks on it.
result<ledger_contents> read_ledger_file(const std::string& path);

}  // namespace gym::telemetry::detail
