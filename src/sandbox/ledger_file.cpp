// SPDX-License-Identifier: Apache-2.0
#include "sandbox/ledger_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

class descriptor {
public:
    explicit descriptor(int number) noexcept : number_(number) {}
    ~descriptor() {
        if (number_ >= 0) close(number_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int number() const noexcept { return number_; }
    // From now on it stays open: closing it would give up the lock.
    void keep() noexcept { number_ = -1; }

private:
    int number_;
};

error failed(const char* what, const std::string& path, int number = errno) {
    const errc code = number == ENOENT   ? errc::not_found
                      : number == EACCES ? errc::denied
                                         : errc::io;
    return {code,
            std::string(what) + " '" + path + "': " + std::generic_category().message(number)};
}

std::string new_path(const std::string& folder) {
    std::random_device random;
    return (std::filesystem::path(folder) / (std::to_string(getpid()) + "-" +
                                             std::to_string(random()) + std::string(ledger_suffix)))
        .string();
}

// A folder of our own is nobody else's business; one that is there stays as it is.
result<bool> make_folder(const std::string& folder) {
    std::error_code code;
    if (std::filesystem::is_directory(folder, code)) return true;
    const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, code);
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return true;
    return failed("cannot make the ledger's folder", folder);
}

struct flock whole_file(short type) noexcept {
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

std::uint16_t put(std::string_view text, char* to, std::size_t room) noexcept {
    const std::size_t size = std::min(text.size(), room);
    std::copy_n(text.data(), size, to);
    return static_cast<std::uint16_t>(size);
}

std::string taken(const char* from, std::uint16_t size, std::size_t room) {
    return std::string(from, std::min<std::size_t>(size, room));
}

ledger_contents contents_of(const ledger_layout& layout, bool owner_lives) {
    ledger_contents contents{.pid = layout.pid, .owner_lives = owner_lives, .entries = {}};
    for (const ledger_cell& cell : layout.cells) {
        // Acquire: with the state comes the rest of the entry.
        const auto state = static_cast<ledger_state>(cell.state.load(std::memory_order_acquire));
        if (state != ledger_state::held && state != ledger_state::orphaned) continue;
        contents.entries.push_back({state,
                                    taken(cell.provider, cell.provider_size, sizeof cell.provider),
                                    taken(cell.id, cell.id_size, sizeof cell.id), cell.birth_ns});
    }
    return contents;
}

}  // namespace

result<ledger_file> ledger_file::create(const std::string& folder) {
    if (const auto made = make_folder(folder); !made) return made.failure();
    ledger_file file;
    file.folder_ = folder;
    file.path_ = new_path(folder);
    descriptor fd(
        open(file.path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (fd.number() < 0) return failed("cannot create", file.path_);
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(fd.number(), F_SETLK, &lock) != 0) return failed("cannot lock", file.path_);
    if (const int code = posix_fallocate(fd.number(), 0, sizeof(ledger_layout)); code != 0) {
        unlink(file.path_.c_str());
        return failed("cannot reserve", file.path_, code);
    }
    void* const at =
        mmap(nullptr, sizeof(ledger_layout), PROT_READ | PROT_WRITE, MAP_SHARED, fd.number(), 0);
    if (at == MAP_FAILED) return failed("cannot map", file.path_);
    fd.keep();
    file.map_ = static_cast<ledger_layout*>(at);  // all zero: no entry is held
    file.map_->pid = getpid();
    file.map_->entries = ledger_entries_per_file;
    std::copy(ledger_magic.begin(), ledger_magic.end(), file.map_->magic);
    return file;
}

ledger_cell* ledger_file::add(std::string_view provider, std::string_view id,
                              std::int64_t birth_ns) noexcept {
    for (ledger_cell& cell : map_->cells) {
        if (cell.state.load(std::memory_order_relaxed) != 0) continue;
        cell.provider_size = put(provider, cell.provider, sizeof cell.provider);
        cell.id_size = put(id, cell.id, sizeof cell.id);
        cell.birth_ns = birth_ns;
        // Release: whenever the process is killed, an entry that is held is whole.
        cell.state.store(static_cast<std::uint32_t>(ledger_state::held), std::memory_order_release);
        return &cell;
    }
    return nullptr;
}

result<ledger_contents> read_ledger_file(const std::string& path) {
    const descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd.number() < 0) return failed("cannot open", path);
    // Whether anybody holds a lock that a reader's would conflict with.
    struct flock lock = whole_file(F_RDLCK);
    if (fcntl(fd.number(), F_GETLK, &lock) != 0) return failed("cannot ask for the lock of", path);
    // Read, not mapped: a file that is cut meanwhile would end us with SIGBUS.
    const auto layout = std::make_unique<ledger_layout>();
    const ssize_t size = pread(fd.number(), layout.get(), sizeof(ledger_layout), 0);
    if (size < 0) return failed("cannot read", path);
    if (size != static_cast<ssize_t>(sizeof(ledger_layout)) ||
        std::string_view(layout->magic, sizeof layout->magic) != ledger_magic)
        return {errc::invalid, "'" + path + "' is no ledger file"};
    return contents_of(*layout, lock.l_type != F_UNLCK);
}

ledger_contents ledger_file::contents() const {
    return contents_of(*map_, true);
}

}  // namespace gym::telemetry::detail
