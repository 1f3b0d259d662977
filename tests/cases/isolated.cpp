// SPDX-License-Identifier: Apache-2.0
#include "isolated.hpp"

#include "verdict.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::cases {

namespace {

void write_all(int to, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = write(to, text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR) return;
        if (n > 0) done += static_cast<std::size_t>(n);
    }
}

[[noreturn]] void play_in_child(const std::function<void()>& play, int to) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    std::string said = "P";
    try {
        play();
    } catch (const skip& reason) {
        said = std::string("S") + reason.what();
    } catch (const std::exception& error) {
        said = std::string("F") + error.what();
    }
    write_all(to, said);
    close(to);
    std::exit(0);  // the library's own handler runs as in any process
}

// What the child said before it closed its end, or nothing more until the time is over.
bool read_until(int from, std::string& said, std::chrono::steady_clock::time_point until) {
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        pollfd one = {from, POLLIN, 0};
        // What was said in time counts, even if nobody listened until now.
        if (poll(&one, 1, std::max(0, static_cast<int>(left.count()))) <= 0) {
            if (left.count() <= 0) return false;
            continue;
        }
        char buffer[4096];
        const ssize_t n = read(from, buffer, sizeof buffer);
        if (n == 0) return true;
        if (n > 0) said.append(buffer, static_cast<std::size_t>(n));
    }
}

// Waits for the end of the child; false when the time is over first.
bool wait_until(pid_t child, int& status, std::chrono::steady_clock::time_point until) {
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= until) return false;
        poll(nullptr, 0, 2);
    }
    return true;
}

outcome judge(const std::string& said, int status) {
    if (WIFSIGNALED(status))
        return {outcome::kind::failed, "ended by SIG" + signal_name(WTERMSIG(status))};
    if (said.starts_with('F')) return {outcome::kind::failed, said.substr(1)};
    if (said.starts_with('S')) return {outcome::kind::skipped, said.substr(1)};
    if (WEXITSTATUS(status) != 0)
        return {outcome::kind::failed,
                "ended with exit code " + std::to_string(WEXITSTATUS(status))};
    if (said != "P") return {outcome::kind::failed, "ended without a word"};
    return {};
}

}  // namespace

std::string signal_name(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? name : std::to_string(signal);
}

isolated_play::isolated_play(const std::function<void()>& play, std::chrono::seconds limit)
    : limit_(limit), until_(std::chrono::steady_clock::now() + limit) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw failure("no pipe: " + std::string(std::strerror(errno)));
    std::fflush(nullptr);
    child_ = fork();
    if (child_ < 0) throw failure("no child: " + std::string(std::strerror(errno)));
    if (child_ == 0) {
        close(ends[0]);
        play_in_child(play, ends[1]);
    }
    close(ends[1]);
    from_ = ends[0];
}

outcome isolated_play::finish() {
    std::string said;
    int status = 0;
    const bool ended = read_until(from_, said, until_) && wait_until(child_, status, until_);
    close(from_);
    kill(-child_, SIGKILL);  // what it left behind, and itself when it hangs
    if (ended) return judge(said, status);
    waitpid(child_, &status, 0);
    return {outcome::kind::failed, "not done after " + std::to_string(limit_.count()) + " s"};
}

}  // namespace gym::telemetry::cases
