// SPDX-License-Identifier: Apache-2.0
//
// tls_server.py as a child process, with a certificate made for the run.
#pragma once

#include "made_certificate.hpp"

#include <csignal>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::testing {

class tls_server {
public:
    explicit tls_server(const std::string& source_dir) {
        if (made_.is_there()) start(source_dir + "/tests/support/tls_server.py");
    }
    ~tls_server() {
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        if (in_ >= 0) close(in_);
    }
    tls_server(const tls_server&) = delete;
    tls_server& operator=(const tls_server&) = delete;

    bool ready() const { return port_ > 0; }
    std::string certificate() const { return made_.certificate(); }
    std::string url() const { return "https://127.0.0.1:" + std::to_string(port_) + "/"; }

private:
    void start(const std::string& script) {
        int to[2], from[2];
        if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return;
        child_ = fork();
        if (child_ == 0) {
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            // Handshakes that a test means to fail are not worth a line.
            dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
            execlp("python3", "python3", script.c_str(), certificate().c_str(), made_.key().c_str(),
                   nullptr);
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        in_ = to[1];
        std::string said;
        char c = 0;
        while (read(from[0], &c, 1) == 1 && c != '\n') said += c;
        close(from[0]);
        port_ = std::atoi(said.c_str());
    }

    test::made_certificate made_;
    pid_t child_ = 0;
    int port_ = 0;
    int in_ = -1;  // open for as long as the server is to live
};

}  // namespace gym::telemetry::testing
