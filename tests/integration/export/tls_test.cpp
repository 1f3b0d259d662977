// SPDX-License-Identifier: Apache-2.0
//
// OTLP over TLS, against a server of Python's with certificates made for the run.
#include "complaints.hpp"
#include "export/otlp_exporter.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/recorders.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::detail {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr char server_program[] = R"(
import http.server, ssl, sys
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        with open(sys.argv[4], 'a') as log:
            log.write(self.path)
        self.send_response(200)
        self.send_header('content-length', '0')
        self.end_headers()
    def log_message(self, *_):
        pass
class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
if sys.argv[3] == 'mutual':
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(sys.argv[1])
server = Server(('127.0.0.1', 0), Answer)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
server.serve_forever()
)";

class TlsExport : public ::testing::Test {
protected:
    TlsExport() {
        std::string pattern = ::testing::TempDir() + "tls_export_XXXXXX";
        folder = mkdtemp(pattern.data());
        const std::string made =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout " +
            key() + " -out " + certificate() + " >/dev/null 2>&1";
        EXPECT_EQ(std::system(made.c_str()), 0);
        std::ofstream(folder / "server.py") << server_program;
    }
    ~TlsExport() override {
        if (child > 0) {
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
        fs::remove_all(folder);
    }

    std::string certificate() const { return folder / "cert.pem"; }
    std::string key() const { return folder / "key.pem"; }
    std::string received() const { return folder / "received"; }

    // The URL of a server that runs.
    std::string serve(const char* mode) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        child = ::fork();
        if (child == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::execlp("python3", "python3", (folder / "server.py").c_str(), certificate().c_str(),
                     key().c_str(), mode, received().c_str(), nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        std::string port;
        for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) port += c;
        ::close(ends[0]);
        return "https://127.0.0.1:" + port + "/v1/metrics";
    }

    outcome send(const http_target& target) {
        const auto to = make_otlp_exporter({.metrics = target, .traces = {}});
        shipment what{.signal = signal_kind::metrics, .body = "x"};
        export_limits limits;
        limits.set_deadline(steady_clock::now() + milliseconds(10000));
        to->send({&what, 1}, limits);
        return what.result;
    }

    fs::path folder;
    pid_t child = 0;
    test::complaints complaints;
};

TEST_F(TlsExport, TrustsTheConfiguredAuthority) {
    EXPECT_EQ(send({.url = serve("plain"), .certificate = certificate()}), outcome::ok);
    EXPECT_TRUE(complaints.all().empty());
}

TEST_F(TlsExport, RefusesAServerNobodyVouchesForAtOnce) {
    const auto begin = steady_clock::now();
    EXPECT_EQ(send({.url = serve("plain")}), outcome::failed);
    EXPECT_LT(steady_clock::now() - begin, milliseconds(8000));
    EXPECT_EQ(complaints.all().size(), 1u);
    EXPECT_TRUE(complaints.mentions({"otlp", "certificate"}));
}

TEST_F(TlsExport, ACertificateFileThatIsNotThereIsReported) {
    EXPECT_EQ(send({.url = serve("plain"), .certificate = folder / "none.pem"}), outcome::failed);
    EXPECT_EQ(complaints.all().size(), 1u);
}

TEST_F(TlsExport, ShowsItsOwnCertificateWhereOneIsAskedFor) {
    EXPECT_EQ(send({.url = serve("mutual"),
                    .certificate = certificate(),
                    .client_certificate = certificate(),
                    .client_key = key()}),
              outcome::ok);
}

// libcurl's and OpenSSL's own clean-ups must run after the last export of a process that just ends.
TEST_F(TlsExport, WorksInTheLastFlushOfAProcessThatExits) {
    const std::string url = serve("plain");
    const pid_t exiting = ::fork();
    if (exiting == 0) {
        ::setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", url.c_str(), 1);
        ::setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate().c_str(), 1);
        init({.enabled = true});
        record_active_servers(1);
        std::exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(exiting, &status, 0), exiting);
    EXPECT_EQ(status, 0);
    std::string paths;
    std::ifstream(received()) >> paths;
    EXPECT_EQ(paths, "/v1/metrics");
}

}  // namespace
}  // namespace gym::telemetry::detail
