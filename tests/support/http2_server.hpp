// SPDX-License-Identifier: Apache-2.0
//
// As much of an HTTP/2 server (RFC 9113, without TLS) as a test of streams needs: it answers every
// request with 200 and a short body. The first of a connection is answered at once, since curl only
// then believes that the connection takes streams; the others once `hold` of them are open at a
// time, so that a client which does not share the connection would wait for ever.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gym::telemetry::testing {

class http2_server {
public:
    explicit http2_server(std::size_t hold) : hold_(hold) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            listen(listener_, 16) != 0)
            throw std::runtime_error("cannot listen on loopback");
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { accept_all(); });
    }
    // After its clients have gone.
    ~http2_server() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        for (std::thread& each : connections_) each.join();
        ::close(listener_);
    }
    http2_server(const http2_server&) = delete;
    http2_server& operator=(const http2_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
    int accepted() const { return accepted_.load(); }
    int requests() const { return requests_.load(); }

private:
    enum : std::uint8_t { data = 0, headers = 1, settings = 4, ping = 6 };
    enum : std::uint8_t { end_stream = 1, ack = 1, end_headers = 4 };

    void accept_all() {
        for (;;) {
            const int fd = accept(listener_, nullptr, nullptr);
            if (fd < 0) return;
            accepted_.fetch_add(1);
            connections_.emplace_back([this, fd] {
                serve(fd);
                ::close(fd);
            });
        }
    }

    static bool read_all(int fd, void* into, std::size_t size) {
        auto* at = static_cast<char*>(into);
        while (size > 0) {
            const ssize_t got = recv(fd, at, size, 0);
            if (got <= 0) return false;
            at += got;
            size -= static_cast<std::size_t>(got);
        }
        return true;
    }

    static void send_frame(int fd, std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                           std::string_view payload) {
        std::string frame;
        for (const int shift : {16, 8, 0})
            frame += static_cast<char>(payload.size() >> shift & 255);
        frame += static_cast<char>(type);
        frame += static_cast<char>(flags);
        for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift & 255);
        frame += payload;
        (void)!send(fd, frame.data(), frame.size(), MSG_NOSIGNAL);
    }

    void serve(int fd) {
        std::array<char, 24> preface;
        if (!read_all(fd, preface.data(), preface.size())) return;
        send_frame(fd, settings, 0, 0, {});
        std::vector<std::uint32_t> open;
        bool first = true;
        std::array<unsigned char, 9> head;
        while (read_all(fd, head.data(), head.size())) {
            const std::size_t size =
                std::size_t{head[0]} << 16 | std::size_t{head[1]} << 8 | head[2];
            std::string payload(size, '\0');
            if (!read_all(fd, payload.data(), size)) return;
            const std::uint32_t stream =
                (std::uint32_t{head[5]} << 24 | std::uint32_t{head[6]} << 16 |
                 std::uint32_t{head[7]} << 8 | head[8]) &
                0x7fffffff;
            if (head[3] == settings && (head[4] & ack) == 0) send_frame(fd, settings, ack, 0, {});
            if (head[3] == ping && (head[4] & ack) == 0) send_frame(fd, ping, ack, 0, payload);
            if (head[3] != headers) continue;
            requests_.fetch_add(1);
            open.push_back(stream);
            if (!std::exchange(first, false) && open.size() < hold_) continue;
            for (const std::uint32_t each : open) {
                // 0x88 is `:status: 200` in the static table of RFC 7541.
                send_frame(fd, headers, end_headers, each, "\x88");
                send_frame(fd, data, end_stream, each, "two");
            }
            open.clear();
        }
    }

    std::size_t hold_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<int> accepted_{0};
    std::atomic<int> requests_{0};
    std::vector<std::thread> connections_;
    std::thread thread_;
};

}  // namespace gym::telemetry::testing
