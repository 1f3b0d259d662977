// SPDX-License-Identifier: Apache-2.0
//
// What goes over the connection, and the connection itself.
#include "export/gzip.hpp"
#include "export_fixture.hpp"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

namespace gym::telemetry::detail {
namespace {

std::string gunzip(const std::string& data) {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    std::string text(1 << 20, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

// Connected TCP sockets of this process to a port.
std::vector<int> sockets_to(int port) {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int descriptor = std::stoi(entry.path().filename());
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
            peer.sin_family == AF_INET && ntohs(peer.sin_port) == port)
            found.push_back(descriptor);
    }
    return found;
}

class Http : public ExportTest {};

TEST(Gzip, GivesTheSameBytesForTheSameData) {
    for (const std::size_t size : {0u, 1u, 100u, 100000u}) {
        std::string data;
        for (std::size_t i = 0; i < size; ++i) data += static_cast<char>(i * i >> 3);
        std::string first;
        std::string second = "what was there before";
        gzip(data, first);
        gzip(data, second);
        EXPECT_EQ(first, second);
        EXPECT_EQ(gunzip(first), data);
    }
}

TEST_F(Http, CompressesWhenAsked) {
    fake_collector collector;
    send_to(collector);
    config.otlp_metrics.compression = "gzip";
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    const auto request = collector.requests().at(0);
    EXPECT_EQ(request.headers.at("content-encoding"), "gzip");
    EXPECT_EQ(counts_in(gunzip(request.body)).at("a"), 1);
}

TEST_F(Http, SendsTheConfiguredHeadersDecoded) {
    fake_collector collector;
    send_to(collector);
    config.otlp_metrics.headers = "authorization=Basic%20c2VjcmV0,x-empty=";
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    const auto request = collector.requests().at(0);
    EXPECT_EQ(request.headers.at("authorization"), "Basic c2VjcmV0");
    EXPECT_EQ(request.headers.at("x-empty"), "");
    EXPECT_TRUE(request.headers.at("user-agent").starts_with("gym-telemetry/"));
    EXPECT_FALSE(request.headers.contains("content-encoding"));
    EXPECT_FALSE(request.headers.contains("expect"));
}

TEST_F(Http, TheEndpointOfASignalIsTakenAsItStands) {
    fake_collector collector;
    config.otlp_metrics.endpoint = collector.url() + "/my/path?token=secret";
    collector.set_responses({{.status = 400}});
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    EXPECT_EQ(collector.requests().at(0).path, "/my/path?token=secret");
    EXPECT_TRUE(complaints.mentions({"/my/path"}));
    EXPECT_FALSE(complaints.mentions({"secret"}));
}

TEST_F(Http, KeepsItsConnectionAndClosesItOnExec) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    for (int i = 0; i < 3; ++i) {
        count("a");
        EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    }
    const auto sockets = sockets_to(collector.port());
    ASSERT_EQ(sockets.size(), 1u);
    EXPECT_NE(::fcntl(sockets[0], F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
}

TEST_F(Http, AProxyOfTheEnvironmentIsNotAskedForLoopback) {
    fake_collector collector;
    send_to(collector);
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    ::unsetenv("http_proxy");
}

TEST_F(Http, AForkedChildClosesItsCopyOfTheConnectionAndTheParentGoesOn) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    const pid_t child = ::fork();
    if (child == 0) {
        pipeline->abandon_in_child();
        ::_exit(sockets_to(collector.port()).empty() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    EXPECT_EQ(counts_in(collector.requests().back().body).at("a"), 2);
}

}  // namespace
}  // namespace gym::telemetry::detail
