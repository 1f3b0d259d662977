// SPDX-License-Identifier: Apache-2.0
//
// Against openssl's own test server, with a certificate made for the run.
#include "loop_fixture.hpp"

#include <filesystem>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::http {
namespace {

namespace fs = std::filesystem;

class openssl_server {
public:
    openssl_server() {
        std::string pattern = (fs::temp_directory_path() / "gym-http-tls-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        const std::string command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout " +
            key() + " -out " + certificate() + " >/dev/null 2>&1";
        if (std::system(command.c_str()) != 0) return;
        start();
    }
    ~openssl_server() {
        if (out_ >= 0) close(out_);
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        fs::remove_all(folder_);
    }

    bool ready() const { return port_ > 0; }
    std::string certificate() const { return folder_ + "/cert.pem"; }
    std::string url() const { return "https://127.0.0.1:" + std::to_string(port_) + "/"; }

private:
    std::string key() const { return folder_ + "/key.pem"; }

    void start() {
        int ends[2];
        if (pipe(ends) != 0) return;
        child_ = fork();
        if (child_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
            execlp("openssl", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert",
                   certificate().c_str(), "-key", key().c_str(), "-www", nullptr);
            _exit(127);
        }
        close(ends[1]);
        // It says "ACCEPT 127.0.0.1:PORT" once it listens.
        std::string said;
        char c = 0;
        while (read(ends[0], &c, 1) == 1) {
            if (c != '\n') {
                said += c;
                continue;
            }
            if (said.starts_with("ACCEPT") && said.rfind(':') != std::string::npos) {
                port_ = std::atoi(said.c_str() + said.rfind(':') + 1);
                break;
            }
            said.clear();
        }
        out_ = ends[0];
    }

    std::string folder_;
    pid_t child_ = 0;
    int port_ = 0;
    int out_ = -1;  // kept open: the server must not meet a broken pipe
};

TEST_F(HttpLoop, TlsIsPartOfTheConnect) {
    openssl_server server;
    ASSERT_TRUE(server.ready()) << "the package openssl is needed";
    client_options options;
    options.tls.ca_file = server.certificate();
    make({}, options);
    pending& each = send(server.url());
    until_all_are_over();
    EXPECT_EQ(each.answer.status, 200) << each.answer.message;
    EXPECT_EQ(lines("connected", "ok model"), 1);
}

TEST_F(HttpLoop, CertificateThatNobodyVouchesForIsAFailedConnect) {
    openssl_server server;
    ASSERT_TRUE(server.ready()) << "the package openssl is needed";
    make({.total = 1, .per_host = 0});
    pending& each = send(server.url());
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::tls) << each.answer.message;
    EXPECT_EQ(lines("connected", "failed model"), 1);
    EXPECT_EQ(lines("connected", ""), 1);
}

}  // namespace
}  // namespace gym::telemetry::http
