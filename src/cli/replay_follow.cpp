// SPDX-License-Identifier: Apache-2.0
//
// The files of a replay as they grow. Looks at them ten times a second rather than asking the
// kernel to tell: runs lie on network file systems, where other machines' writes raise no event.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <cli/replay_files.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gymtel {
namespace {

constexpr long poll_period_ns = 100'000'000;

// Many files may be followed at once, and little comes at a time.
constexpr std::size_t follow_block_bytes = std::size_t{64} << 10;

volatile std::sig_atomic_t was_asked_to_end = 0;

void ask_to_end(int) {
    was_asked_to_end = 1;
}

// SIGINT and SIGTERM end the following, not the process: the first one, that is.
class end_signals {
public:
    end_signals() {
        sigemptyset(&ours_);
        sigaddset(&ours_, SIGINT);
        sigaddset(&ours_, SIGTERM);
        struct sigaction action{};
        action.sa_handler = ask_to_end;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, &before_int_);
        sigaction(SIGTERM, &action, &before_term_);
    }
    ~end_signals() {
        sigaction(SIGINT, &before_int_, nullptr);
        sigaction(SIGTERM, &before_term_, nullptr);
    }
    end_signals(const end_signals&) = delete;
    end_signals& operator=(const end_signals&) = delete;

    // Until a descriptor is readable, time has passed or a signal has come. Signals are let in only
    // by the wait itself, so that none slips in between the look at the flag and the wait.
    void wait(std::vector<pollfd>& descriptors) const {
        const timespec period{0, poll_period_ns};
        sigset_t before;
        sigprocmask(SIG_BLOCK, &ours_, &before);
        if (was_asked_to_end == 0)
            ::ppoll(descriptors.data(), descriptors.size(), &period, &before);
        sigprocmask(SIG_SETMASK, &before, nullptr);
    }

private:
    sigset_t ours_{};
    struct sigaction before_int_{};
    struct sigaction before_term_{};
};

}  // namespace

// Regular files never make a read wait; anything else is asked first.
bool replay_files::has_input(const file& f) const {
    if (f.is_regular || f.bytes->buffered()) return true;
    pollfd descriptor{f.bytes->fd(), POLLIN, 0};
    return ::poll(&descriptor, 1, 0) > 0;
}

// Whether the file is shorter than what was read of it, or what waits for its newline no longer
// stands where it was read.
bool replay_files::was_cut(const file& f) const {
    struct stat about{};
    if (::fstat(f.bytes->fd(), &about) != 0) return false;
    const std::uint64_t offset = f.bytes->offset();
    if (static_cast<std::uint64_t>(about.st_size) < offset) return true;
    if (!f.bytes->is_plain()) return false;
    std::array<char, 256> now{};
    const std::string_view waiting = f.lines->waiting().substr(0, now.size());
    const auto begin = static_cast<off_t>(offset - f.lines->waiting_bytes());
    const ssize_t n = ::pread(f.bytes->fd(), now.data(), waiting.size(), begin);
    return n >= 0 && std::string_view(now.data(), static_cast<std::size_t>(n)) != waiting;
}

// The driver cuts a torn last line off when it resumes, and a fresh run begins its files anew.
void replay_files::follow_changes(file& f) {
    if (!was_cut(f)) return follow_replacement(f);
    struct stat about{};
    const bool is_known = ::fstat(f.bytes->fd(), &about) == 0;
    const std::uint64_t whole_lines =
        f.bytes->offset() - std::min(f.bytes->offset(), f.lines->waiting_bytes());
    const bool is_torn_line = is_known && static_cast<std::uint64_t>(about.st_size) >= whole_lines;
    if (!f.bytes->rewind_to(is_torn_line ? whole_lines : 0))
        return end(f, "damaged: it was cut while it was read");
    if (is_torn_line)
        f.lines->drop_waiting();
    else
        start(f, follow_block_bytes);
}

// Another file may have taken the name.
void replay_files::follow_replacement(file& f) {
    struct stat about{};
    if (::stat(f.path.c_str(), &about) != 0) return;
    const std::pair<std::uint64_t, std::uint64_t> identity{about.st_dev, about.st_ino};
    if (identity == f.identity || identities_.contains(identity)) return;
    const std::string path = f.path;
    drain(f, true);
    open(path, true);
}

// A run's failures file appears with its first failure.
void replay_files::look_for_failures_files() {
    std::erase_if(failures_files_, [this](const std::string& path) { return open(path, true); });
}

bool replay_files::is_followable() const noexcept {
    return std::any_of(files_.begin(), files_.end(), [](const auto& f) { return !f->is_done; });
}

void replay_files::follow(const std::function<void()>& between) {
    const end_signals signals;
    while (was_asked_to_end == 0) {
        look_for_failures_files();
        // By number: a file that replaces another comes in at the end.
        for (std::size_t i = 0; i < files_.size(); ++i) {
            file& f = *files_[i];
            if (f.is_done) continue;
            if (f.lines == nullptr) start(f, follow_block_bytes);
            if (f.is_regular && !f.is_done) follow_changes(f);
            if (!f.is_done) drain(f, false);
        }
        out_.flush_complaints();
        if (!is_followable()) break;
        between();
        out_.status(fmt::format(" following: {} rows; Ctrl-C ends", sink_.rows()));
        std::vector<pollfd> descriptors;
        for (const auto& f : files_)
            if (!f->is_done && f->bytes != nullptr && !f->is_regular)
                descriptors.push_back({f->bytes->fd(), POLLIN, 0});
        signals.wait(descriptors);
    }
    for (std::size_t i = 0; i < files_.size(); ++i) {
        file& f = *files_[i];
        if (f.is_done) continue;
        if (f.lines == nullptr) start(f, follow_block_bytes);
        if (f.is_regular && !f.is_done) follow_changes(f);
        if (f.is_done) continue;
        if (f.is_regular)
            drain(f, true);
        else
            end(f, {});
    }
    out_.clear_progress();
}

}  // namespace gymtel
