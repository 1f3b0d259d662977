// SPDX-License-Identifier: Apache-2.0
//
// The file of emitted records. Two locks: flock around each change of its content, and a POSIX lock
// for as long as somebody sends it, so that shells go on appending while the network is slow.
#include "sandbox/emitted.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/sandbox_lifecycle.hpp>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry {

namespace {

class open_file {
public:
    open_file(const std::string& path, int flags) noexcept
        : number_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
    ~open_file() {
        if (number_ >= 0) close(number_);
    }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    int number() const noexcept { return number_; }

private:
    int number_;
};

class content_lock {
public:
    explicit content_lock(int file) noexcept : file_(file) {
        while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~content_lock() { flock(file_, LOCK_UN); }
    content_lock(const content_lock&) = delete;
    content_lock& operator=(const content_lock&) = delete;

private:
    int file_;
};

bool lock_for_sending(int file) noexcept {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return fcntl(file, F_SETLK, &lock) == 0;
}

std::string read_from(int file, off_t offset) {
    std::string text;
    char buffer[65536];
    for (ssize_t size = 0; (size = pread(file, buffer, sizeof buffer, offset)) > 0; offset += size)
        text.append(buffer, static_cast<std::size_t>(size));
    return text;
}

// Takes so many bytes away from the beginning. What came meanwhile moves there.
void remove_prefix(int file, std::size_t size) {
    const content_lock lock(file);
    const std::string rest = read_from(file, static_cast<off_t>(size));
    const ssize_t written = pwrite(file, rest.data(), rest.size(), 0);
    // When the rest cannot be written, all stays: twice is better than never.
    if (written == static_cast<ssize_t>(rest.size())) static_cast<void>(ftruncate(file, written));
}

void record_lines(std::string_view text, emitted_records& seen) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const auto what = detail::parse_emitted(text.substr(0, end))) {
            detail::record(*what);
            ++seen.recorded;
        } else {
            ++seen.refused;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

namespace detail {

result<bool> append_emitted(const std::string& file, const emitted_record& record) {
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), code);
    const open_file to(file, O_WRONLY | O_APPEND | O_CREAT);
    const auto failed = [&] {
        return error{errc::io,
                     "cannot append to '" + file + "': " + std::generic_category().message(errno)};
    };
    if (to.number() < 0) return failed();
    const content_lock lock(to.number());
    const std::string line = line_of(record);
    if (write(to.number(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return failed();
    return true;
}

}  // namespace detail

std::string default_emitted_file() {
    return detail::emitted_file_of(detail::environment::of_process());
}

emitted_records record_emitted(const std::string& file, bool send) {
    emitted_records seen;
    if (!sandbox_call_site_enabled() || !metrics_enabled()) return seen;
    const open_file from(file, O_RDWR);
    if (from.number() < 0) {
        seen.taken = errno == ENOENT;
        return seen;
    }
    if (!lock_for_sending(from.number())) return seen;
    std::string text;
    {
        const content_lock lock(from.number());
        text = read_from(from.number(), 0);
    }
    record_lines(text, seen);
    if (send && !flush()) return seen;
    remove_prefix(from.number(), text.size());
    seen.taken = true;
    return seen;
}

}  // namespace gym::telemetry
