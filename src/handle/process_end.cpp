// SPDX-License-Identifier: Apache-2.0
#include "handle/process_end.hpp"

#include "base/diagnostics.hpp"
#include "export/pipeline.hpp"
#include "handle/handle.hpp"

#include <gym/telemetry/lifecycle.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

std::terminate_handler next_terminate = nullptr;

[[noreturn]] void flush_and_terminate() {
    shutdown();
    if (next_terminate != nullptr) next_terminate();
    std::abort();
}

// The handler writes a byte; a thread of its own reads it, flushes, and sends the signal again with
// what the application had in place before.
int signal_pipe[2] = {-1, -1};
struct sigaction action_before;

void on_sigterm(int) {
    const int saved = errno;
    const char byte = 1;
    // Nothing can be done in a signal handler about a full pipe, and one byte is enough.
    [[maybe_unused]] const auto written = write(signal_pipe[1], &byte, 1);
    errno = saved;
}

void wait_for_sigterm() {
    char byte = 0;
    while (read(signal_pipe[0], &byte, 1) < 0 && errno == EINTR) {
    }
    shutdown();
    sigaction(SIGTERM, &action_before, nullptr);
    kill(getpid(), SIGTERM);
}

void handle_sigterm() {
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        diagnose("signal.pipe", "SIGTERM will not flush telemetry: no pipe could be made");
        return;
    }
    fcntl(signal_pipe[0], F_SETFL, 0);  // the reader may wait, the handler may not
    struct sigaction action{};
    action.sa_handler = on_sigterm;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    std::thread(wait_for_sigterm).detach();
    sigaction(SIGTERM, &action, &action_before);
}

}  // namespace

void shutdown_at_exit() noexcept {
    shutdown();
}

void prepare_process_end(const settings& config) {
    static std::once_flag always;
    std::call_once(always, [] {
        prepare_transports();
        install_fork_handlers();
        std::atexit([] { shutdown_at_exit(); });
    });
    if (config.terminate_handling) {
        static std::once_flag once;
        std::call_once(once, [] { next_terminate = std::set_terminate(flush_and_terminate); });
    }
    if (config.signal_handling) {
        static std::once_flag once;
        std::call_once(once, handle_sigterm);
    }
}

}  // namespace gym::telemetry::detail
