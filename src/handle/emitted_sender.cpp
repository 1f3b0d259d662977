// SPDX-License-Identifier: Apache-2.0
//
// A POSIX lock on a file beside the records: the kernel gives it up with the process, and forked
// children do not hold on to it. It knows no threads, so an atomic tells those of one process
// apart.
#include "handle/emitted_sender.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <limits>

#include <fcntl.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

// The process a thread of which is sending; that of a parent means nothing in a forked child.
std::atomic<pid_t> sending{0};

bool claim_in_process() noexcept {
    pid_t seen = 0;
    const pid_t self = getpid();
    // Acquire and release: the one file number that is open at a time changes hands by it.
    while (!sending.compare_exchange_weak(seen, self, std::memory_order_acquire))
        if (seen == self) return false;
    return true;
}

void release_in_process() noexcept {
    sending.store(0, std::memory_order_release);
}

int open_locked(const std::string& path) noexcept {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return -1;
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(file, F_SETLK, &lock) == 0) return file;
    close(file);
    return -1;
}

}  // namespace

std::optional<emitted_sender> emitted_sender::claim(const std::string& file) noexcept {
    if (!claim_in_process()) return std::nullopt;
    try {
        const int lock = open_locked(file + ".lock");
        if (lock >= 0) return emitted_sender(lock);
    } catch (const std::bad_alloc&) {  // as if somebody else had it
    }
    release_in_process();
    return std::nullopt;
}

emitted_sender::~emitted_sender() {
    if (lock_ < 0) return;
    close(lock_);
    release_in_process();
}

std::int64_t emitted_sender::next_time_ns(std::int64_t now_ns) noexcept {
    std::array<char, 24> text{};
    const ssize_t size = pread(lock_, text.data(), text.size(), 0);
    std::int64_t before = 0;
    if (size > 0) std::from_chars(text.data(), text.data() + size, before);
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    const std::int64_t next = std::max(now_ns, before < last ? before + 1 : last);
    text.fill(' ');
    *std::to_chars(text.data(), text.data() + text.size(), next).ptr = ' ';
    // When it cannot be written, clocks that agree do as well.
    static_cast<void>(pwrite(lock_, text.data(), text.size(), 0));
    return next;
}

}  // namespace gym::telemetry::detail
