// SPDX-License-Identifier: Apache-2.0
//
// An HTTP/1.1 server for tests and benchmarks of the client: one thread, epoll, loopback, any free
// port. It counts what reaches it, so that a client's numbers can be held against the other side's.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gym::telemetry::testing {

struct server_request {
    std::string method;
    std::string path;
    std::string head;  // the request line and all header lines
    std::string body;  // decoded when it came in chunks
    std::uint64_t connection = 0;

    // The value of the first header of that name (lower case), or nothing.
    std::string header(std::string_view name) const {
        for (std::size_t line = head.find("\r\n");
             line != std::string::npos && line + 2 < head.size();
             line = head.find("\r\n", line + 2)) {
            const std::size_t begin = line + 2, colon = head.find(':', begin);
            if (colon == std::string::npos || colon - begin != name.size()) continue;
            bool same = true;
            for (std::size_t i = 0; i < name.size(); ++i)
                same &= std::tolower(static_cast<unsigned char>(head[begin + i])) == name[i];
            if (!same) continue;
            const std::size_t from = head.find_first_not_of(' ', colon + 1);
            return head.substr(from, head.find("\r\n", from) - from);
        }
        return {};
    }
};

struct server_reply {
    enum class end { keep, close, reset };
    int status = 200;
    std::string headers;  // whole lines
    std::string body;
    int delay_ms = 0;
    end after = end::keep;
    bool silent = false;  // nothing is sent; `after` still happens
    bool chunked = false;
    std::size_t cut = 0;  // so many bytes of the body are announced and never sent
};

class http_server {
public:
    using handler = std::function<server_reply(const server_request&)>;

    // `accepts` false: the socket listens with the shortest queue and nobody ever accepts.
    explicit http_server(handler answer, bool accepts = true)
        : answer_(std::move(answer)),
          epoll_(epoll_create1(EPOLL_CLOEXEC)),
          wake_(eventfd(0, EFD_NONBLOCK)) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            listen(listener_, accepts ? 4096 : 0) != 0)
            throw std::runtime_error("cannot listen on loopback");
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        if (accepts) watch(listener_, EPOLLIN);
        watch(wake_, EPOLLIN);
        thread_ = std::thread([this] { run(); });
    }

    ~http_server() {
        stop_.store(true);
        const std::uint64_t one = 1;
        (void)!write(wake_, &one, sizeof one);
        thread_.join();
        for (auto& [fd, unused] : connections_) ::close(fd);
        ::close(listener_);
        ::close(wake_);
        ::close(epoll_);
    }
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    int port() const { return port_; }
    std::string url(std::string_view path = "/") const {
        return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
    }
    std::uint64_t accepted() const { return accepted_.load(); }
    std::uint64_t requests() const { return requests_.load(); }
    std::int64_t open() const { return open_.load(); }

    // Closes every connection that has no request under way, as a keep-alive timeout would.
    void drop_idle() {
        drop_.fetch_add(1);
        const std::uint64_t one = 1;
        (void)!write(wake_, &one, sizeof one);
        const std::uint64_t wanted = drop_.load();
        while (dropped_.load() < wanted) std::this_thread::yield();
    }

private:
    using clock = std::chrono::steady_clock;

    struct connection {
        std::uint64_t id = 0;
        std::string in;
        std::string out;
        bool busy = false;  // an answer is still to come
        bool close_when_sent = false;
    };

    void watch(int fd, std::uint32_t events) {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }

    void run() {
        std::vector<epoll_event> events(1024);
        while (!stop_.load()) {
            const int count =
                epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout());
            for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)]);
            send_due();
        }
    }

    int timeout() const {
        if (due_.empty()) return -1;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(due_.begin()->first - clock::now());
        return left.count() < 0 ? 0 : static_cast<int>(left.count());
    }

    void send_due() {
        while (!due_.empty() && due_.begin()->first <= clock::now()) {
            auto [fd, id, reply] = std::move(due_.begin()->second);
            due_.erase(due_.begin());
            const auto found = connections_.find(fd);
            if (found != connections_.end() && found->second.id == id)
                finish(fd, found->second, reply);
        }
    }

    void handle(const epoll_event& event) {
        const int fd = event.data.fd;
        if (fd == listener_) return accept_all();
        if (fd == wake_) {
            std::uint64_t value = 0;
            (void)!read(wake_, &value, sizeof value);
            if (dropped_.load() != drop_.load()) drop_now();
            return;
        }
        const auto found = connections_.find(fd);
        if (found == connections_.end()) return;
        if ((event.events & EPOLLOUT) != 0 && !flush(fd, found->second)) return;
        if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(fd, found->second);
    }

    void drop_now() {
        std::vector<int> idle;
        for (auto& [fd, each] : connections_)
            if (!each.busy && each.in.empty()) idle.push_back(fd);
        const std::uint64_t wanted = drop_.load();
        for (int fd : idle) end(fd, false);
        dropped_.store(wanted);
    }

    void accept_all() {
        for (;;) {
            const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0) return;
            const int on = 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            connections_[fd].id = accepted_.fetch_add(1) + 1;
            open_.fetch_add(1);
            watch(fd, EPOLLIN);
        }
    }

    void end(int fd, bool reset) {
        if (reset) {
            const linger hard{.l_onoff = 1, .l_linger = 0};
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        }
        ::close(fd);
        connections_.erase(fd);
        open_.fetch_sub(1);
    }

    void receive(int fd, connection& from) {
        char buffer[16384];
        for (;;) {
            const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
            if (got > 0) {
                from.in.append(buffer, static_cast<std::size_t>(got));
                if (got < static_cast<ssize_t>(sizeof buffer)) break;
            } else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
                return end(fd, false);
            } else {
                break;
            }
        }
        serve(fd, from);
    }

    void serve(int fd, connection& from) {
        server_request request;
        while (!from.busy && !from.close_when_sent && take_request(fd, from, request)) {
            requests_.fetch_add(1, std::memory_order_relaxed);
            request.connection = from.id;
            server_reply reply = answer_(request);
            if (reply.delay_ms > 0) {
                from.busy = true;
                due_.emplace(clock::now() + std::chrono::milliseconds(reply.delay_ms),
                             pending{fd, from.id, std::move(reply)});
            } else if (!respond(fd, from, reply)) {
                return;
            }
        }
    }

    void finish(int fd, connection& to, const server_reply& reply) {
        to.busy = false;
        if (respond(fd, to, reply)) serve(fd, to);
    }

    // Whether the connection is still there.
    bool respond(int fd, connection& to, const server_reply& reply) {
        if (!reply.silent) {
            to.out += "HTTP/1.1 " + std::to_string(reply.status) + " x\r\n" + reply.headers;
            if (reply.chunked) {
                to.out += "Transfer-Encoding: chunked\r\n\r\n";
                for (std::size_t at = 0; at < reply.body.size(); at += 1000) {
                    char size[32];
                    const std::string_view part = std::string_view(reply.body).substr(at, 1000);
                    std::snprintf(size, sizeof size, "%zx\r\n", part.size());
                    to.out.append(size).append(part).append("\r\n");
                }
                to.out += "0\r\n\r\n";
            } else {
                to.out += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" +
                          reply.body.substr(0, reply.body.size() - reply.cut);
            }
        }
        if (reply.after == server_reply::end::reset) return end(fd, true), false;
        if (reply.after == server_reply::end::close) to.close_when_sent = true;
        return flush(fd, to);
    }

    bool flush(int fd, connection& to) {
        while (!to.out.empty()) {
            const ssize_t sent = send(fd, to.out.data(), to.out.size(), MSG_NOSIGNAL);
            if (sent < 0) {
                if (errno != EAGAIN) return end(fd, false), false;
                epoll_event event{};
                event.events = EPOLLIN | EPOLLOUT;
                event.data.fd = fd;
                epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
                return true;
            }
            to.out.erase(0, static_cast<std::size_t>(sent));
        }
        if (to.close_when_sent) return end(fd, false), false;
        return true;
    }

    // Cuts one whole request off what came in.
    bool take_request(int fd, connection& from, server_request& request) {
        const std::size_t blank = from.in.find("\r\n\r\n");
        if (blank == std::string::npos) return false;
        request.head = from.in.substr(0, blank + 2);
        const std::size_t space = request.head.find(' ');
        request.method = request.head.substr(0, space);
        request.path =
            request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
        request.body.clear();
        std::size_t at = blank + 4;
        if (request.header("expect") == "100-continue" && at == from.in.size() &&
            request.header("x-continued").empty()) {
            constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            (void)!send(fd, go_on.data(), go_on.size(), MSG_NOSIGNAL);
        }
        if (request.header("transfer-encoding") == "chunked") {
            if (!take_chunks(from.in, at, request.body)) return false;
        } else {
            const std::string length = request.header("content-length");
            const std::size_t size =
                length.empty() ? 0 : std::strtoull(length.c_str(), nullptr, 10);
            if (from.in.size() - at < size) return false;
            request.body = from.in.substr(at, size);
            at += size;
        }
        from.in.erase(0, at);
        return true;
    }

    static bool take_chunks(const std::string& in, std::size_t& at, std::string& body) {
        std::size_t place = at;
        for (;;) {
            const std::size_t line = in.find("\r\n", place);
            if (line == std::string::npos) return false;
            const std::size_t size = std::strtoull(in.c_str() + place, nullptr, 16);
            if (in.size() < line + 2 + size + 2) return false;
            body.append(in, line + 2, size);
            place = line + 2 + size + 2;
            if (size == 0) break;
        }
        at = place;
        return true;
    }

    struct pending {
        int fd;
        std::uint64_t id;
        server_reply reply;
    };

    handler answer_;
    int epoll_;
    int wake_;
    int listener_ = -1;
    int port_ = 0;
    std::unordered_map<int, connection> connections_;
    std::multimap<clock::time_point, pending> due_;
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> accepted_{0};
    std::atomic<std::uint64_t> requests_{0};
    std::atomic<std::int64_t> open_{0};
    std::atomic<std::uint64_t> drop_{0};
    std::atomic<std::uint64_t> dropped_{0};
    std::thread thread_;
};

}  // namespace gym::telemetry::testing
