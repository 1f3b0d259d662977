// SPDX-License-Identifier: Apache-2.0
#include "sandbox/ledger.hpp"

#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "handle/handle.hpp"
#include "handle/session_started.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry {

namespace detail {

namespace {

namespace fs = std::filesystem;

using file_identity = std::pair<dev_t, ino_t>;

struct ledger_owner {
    std::mutex mutex;
    std::vector<ledger_file> files;  // of all folders that were in force
    std::string broken_folder;       // could not be written to: not tried again
};

// Never destroyed: sandboxes may be released while the process exits.
ledger_owner& owner() {
    static ledger_owner& instance = []() -> ledger_owner& {
        auto* made = new ledger_owner;
        // The parent's files are its own: a child begins without any.
        pthread_atfork([] { owner().mutex.lock(); }, [] { owner().mutex.unlock(); },
                       [] {
                           owner().files.clear();
                           owner().mutex.unlock();
                       });
        return *made;
    }();
    return instance;
}

std::string folder_in_force() {
    if (!is_exporting()) return {};
    const auto session = current_session();
    if (session == nullptr || session->config().ledger.empty()) return {};
    return ledger_folder_of(session->config().ledger, environment::of_process());
}

// With the owner's lock held. Null and a complaint to be made when there is no place.
ledger_cell* find_place(ledger_owner& self, const std::string& folder, std::string_view provider,
                        std::string_view id, std::string& complaint) {
    const std::int64_t birth_ns = system_wall_ns();
    for (ledger_file& file : self.files) {
        if (file.folder() != folder) continue;
        if (ledger_cell* cell = file.add(provider, id, birth_ns)) return cell;
    }
    if (self.broken_folder == folder) return nullptr;
    if (self.files.size() >= ledger_files_max) {
        complaint = "the ledger is full: further sandboxes are not in it";
        return nullptr;
    }
    auto made = ledger_file::create(folder);
    if (!made) {
        self.broken_folder = folder;
        complaint = "no ledger of sandboxes is kept: " + made.failure().text;
        return nullptr;
    }
    self.files.push_back(std::move(*made));
    return self.files.back().add(provider, id, birth_ns);
}

file_identity identity_of(const std::string& path) {
    struct stat about{};
    return stat(path.c_str(), &about) == 0 ? file_identity(about.st_dev, about.st_ino)
                                           : file_identity();
}

// What other processes' files say, with their paths.
std::vector<std::pair<std::string, ledger_contents>> read_others(const std::string& folder) {
    std::vector<file_identity> own;
    {
        const std::lock_guard lock(owner().mutex);
        for (const ledger_file& file : owner().files) own.push_back(identity_of(file.path()));
    }
    std::vector<std::pair<std::string, ledger_contents>> found;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const std::string path = at->path().string();
        if (!path.ends_with(ledger_suffix)) continue;
        if (std::ranges::find(own, identity_of(path)) != own.end()) continue;
        if (auto contents = read_ledger_file(path)) found.emplace_back(path, std::move(*contents));
    }
    return found;
}

void append(std::vector<ledger_entry>& to, const ledger_contents& from) {
    for (const auto& entry : from.entries)
        to.push_back({entry.provider, entry.id, from.pid, entry.birth_ns,
                      entry.state == ledger_state::orphaned || !from.owner_lives});
}

// One sentence about the orphans of one provider, the oldest of which is given.
std::string sentence(const std::string& provider, std::size_t count, const ledger_entry& oldest,
                     const std::string& folder) {
    const std::int64_t age_s = (system_wall_ns() - oldest.birth_ns) / 1'000'000'000;
    return "provider '" + provider + "': " + std::to_string(count) +
           (count == 1 ? " sandbox" : " sandboxes") +
           " may still exist and nobody holds them; the oldest is '" + oldest.id + "', started " +
           std::to_string(age_s) + " s ago by process " + std::to_string(oldest.pid) +
           " (gymtel sandboxes --ledger " + folder + ")";
}

}  // namespace

std::string ledger_folder_of(std::string_view setting, const environment& variables) {
    setting = trim(setting);
    if (setting.empty()) return {};
    const std::optional<bool> flag = parse_boolean(setting);
    if (!flag) return std::string(setting);
    if (!*flag) return {};
    // The XDG specification has relative paths ignored.
    if (const auto state = variables.get("XDG_STATE_HOME"); state && state->starts_with('/'))
        return *state + "/gym-telemetry/ledger";
    const auto home = variables.get("HOME");
    return home ? *home + "/.local/state/gym-telemetry/ledger" : std::string();
}

ledger_cell* ledger_add(std::string_view provider, std::string_view id) noexcept {
    try {
        const std::string folder = folder_in_force();
        if (folder.empty()) return nullptr;
        std::string complaint;
        ledger_cell* cell = nullptr;
        {
            const std::lock_guard lock(owner().mutex);
            cell = find_place(owner(), folder, provider, id, complaint);
        }
        if (!complaint.empty()) diagnose("sandbox.ledger", complaint, folder);
        return cell;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void ledger_remove(ledger_cell* cell) noexcept {
    if (cell == nullptr) return;
    // Release: the entry's next owner writes into it after this.
    cell->state.store(static_cast<std::uint32_t>(ledger_state::free), std::memory_order_release);
}

void ledger_mark_orphaned(ledger_cell* cell) noexcept {
    if (cell == nullptr) return;
    cell->state.store(static_cast<std::uint32_t>(ledger_state::orphaned),
                      std::memory_order_release);
}

void report_orphans(const std::string& folder) noexcept {
    try {
        std::vector<ledger_entry> orphans;
        for (const auto& [path, contents] : read_others(folder)) {
            if (!contents.owner_lives && contents.entries.empty()) unlink(path.c_str());
            append(orphans, contents);
        }
        std::erase_if(orphans, [](const ledger_entry& entry) { return !entry.is_orphaned; });
        std::map<std::string, std::vector<ledger_entry>> by_provider;
        for (ledger_entry& entry : orphans) by_provider[entry.provider].push_back(std::move(entry));
        for (const auto& [provider, entries] : by_provider) {
            const auto oldest = std::ranges::min_element(entries, {}, &ledger_entry::birth_ns);
            diagnose("sandbox.orphan", sentence(provider, entries.size(), *oldest, folder),
                     provider + '/' + folder);
        }
    } catch (const std::exception&) {
        // No memory to say it, or the folder went meanwhile: `gymtel sandboxes` still shows it.
    }
}

void session_started(const settings& config) noexcept {
    if (config.ledger.empty()) return;
    try {
        const std::string folder = ledger_folder_of(config.ledger, environment::of_process());
        if (!folder.empty()) report_orphans(folder);
    } catch (const std::bad_alloc&) {
        // Not said, then.
    }
}

}  // namespace detail

std::string default_ledger_folder() {
    return detail::ledger_folder_of("true", detail::environment::of_process());
}

std::vector<ledger_entry> read_ledger(const std::string& folder) {
    std::vector<ledger_entry> entries;
    for (const auto& [path, contents] : detail::read_others(folder))
        detail::append(entries, contents);
    {
        const std::lock_guard lock(detail::owner().mutex);
        for (const detail::ledger_file& file : detail::owner().files)
            if (file.folder() == folder) detail::append(entries, file.contents());
    }
    std::ranges::stable_sort(entries, {}, &ledger_entry::birth_ns);
    return entries;
}

std::int64_t forget_orphans(const std::string& folder) {
    std::int64_t forgotten = 0;
    for (const auto& [path, contents] : detail::read_others(folder)) {
        if (contents.owner_lives) continue;
        if (unlink(path.c_str()) == 0)
            forgotten += static_cast<std::int64_t>(contents.entries.size());
    }
    return forgotten;
}

}  // namespace gym::telemetry
