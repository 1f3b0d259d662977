// SPDX-License-Identifier: Apache-2.0
#include "fake_collector.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gym::telemetry::test {

namespace {

constexpr std::string_view head_end = "\r\n\r\n";

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

// Reads more; false at the end of the connection.
bool read_more(int socket, std::string& buffer) {
    char bytes[65536];
    const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(count));
    return true;
}

bool write_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

received_request parse_head(std::string_view head) {
    received_request request;
    request.arrived = std::chrono::steady_clock::now();
    const std::size_t line_end = std::min(head.find("\r\n"), head.size());
    const std::string_view first = head.substr(0, line_end);
    const std::size_t space = first.find(' ');
    request.method = first.substr(0, space);
    request.path = first.substr(space + 1, first.rfind(' ') - space - 1);
    for (std::size_t at = line_end + 2; at < head.size();) {
        const std::size_t end = std::min(head.find("\r\n", at), head.size());
        const std::string_view line = head.substr(at, end - at);
        const std::size_t colon = line.find(':');
        if (colon != line.npos) {
            std::string_view value = line.substr(colon + 1);
            while (value.starts_with(' ')) value.remove_prefix(1);
            request.headers[lower(line.substr(0, colon))] = value;
        }
        at = end + 2;
    }
    return request;
}

// An HTTP date (RFC 9110) so far ahead of now, whatever the locale is.
std::string http_date(std::chrono::seconds ahead) {
    constexpr std::string_view days = "SunMonTueWedThuFriSat";
    constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::time_t when =
        std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + ahead);
    std::tm utc{};
    ::gmtime_r(&when, &utc);
    char text[64];
    std::snprintf(text, sizeof text, "%.3s, %02d %.3s %d %02d:%02d:%02d GMT",
                  days.data() + 3 * utc.tm_wday, utc.tm_mday, months.data() + 3 * utc.tm_mon,
                  1900 + utc.tm_year, utc.tm_hour, utc.tm_min, utc.tm_sec);
    return text;
}

// Ends a connection with an RST.
void reset(int socket) {
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    ::connect(socket, &nobody, sizeof nobody);
}

}  // namespace

fake_collector::fake_collector(std::vector<fake_response> responses)
    : responses_(std::move(responses)) {
    open_port();
}

fake_collector::~fake_collector() {
    close_port();
}

void fake_collector::listen_on(int port) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, generic, &size) != 0)
        throw std::runtime_error("the fake collector finds no port");
    port_ = ntohs(address.sin_port);
}

void fake_collector::open_port() {
    stopping_ = false;
    listen_on(port_);
    acceptor_ = std::thread([this] { accept_loop(); });
}

void fake_collector::close_port() {
    if (listener_ < 0) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
        for (const connection& c : connections_) ::shutdown(c.socket, SHUT_RDWR);
    }
    ::shutdown(listener_, SHUT_RDWR);  // ends accept()
    acceptor_.join();
    ::close(listener_);
    listener_ = -1;
    // No connection is added any more.
    for (connection& c : connections_) ::shutdown(c.socket, SHUT_RDWR);
    for (connection& c : connections_) {
        c.thread.join();
        ::close(c.socket);
    }
    connections_.clear();
}

void fake_collector::set_responses(std::vector<fake_response> responses) {
    const std::lock_guard lock(mutex_);
    responses_ = std::move(responses);
    attempts_ = 0;
    attempt_times_.clear();
}

std::vector<received_request> fake_collector::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

std::size_t fake_collector::attempts() const {
    const std::lock_guard lock(mutex_);
    return attempts_;
}

std::vector<std::chrono::steady_clock::time_point> fake_collector::attempt_times() const {
    const std::lock_guard lock(mutex_);
    return attempt_times_;
}

bool fake_collector::wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return requests_.size() >= count; });
}

bool fake_collector::wait_for_attempts(std::size_t count, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return attempts_ >= count; });
}

void fake_collector::accept_loop() {
    while (true) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        const std::lock_guard lock(mutex_);
        connections_.push_back({socket, {}});
        connections_.back().thread = std::thread([this, socket] { serve(socket); });
    }
}

void fake_collector::serve(int socket) {
    std::string buffer;
    while (!stopping_ && serve_one(socket, buffer)) {
    }
    ::shutdown(socket, SHUT_RDWR);
}

fake_response fake_collector::next_response() {
    const std::lock_guard lock(mutex_);
    const std::size_t index = attempts_++;
    attempt_times_.push_back(std::chrono::steady_clock::now());
    changed_.notify_all();
    if (responses_.empty()) return {};
    return responses_[std::min(index, responses_.size() - 1)];
}

// False when the connection is done.
bool fake_collector::serve_one(int socket, std::string& buffer) {
    while (buffer.find(head_end) == buffer.npos)
        if (!read_more(socket, buffer)) return false;
    const std::size_t body_at = buffer.find(head_end) + head_end.size();
    received_request request = parse_head(std::string_view(buffer).substr(0, body_at));
    const fake_response how = next_response();
    const std::size_t announced = std::stoul(request.headers["content-length"]);
    const std::size_t wanted = std::min(how.reset_after_bytes.value_or(announced), announced);
    while (buffer.size() < body_at + wanted)
        if (!read_more(socket, buffer)) return false;
    if (how.reset_after_bytes) {
        reset(socket);
        return false;
    }
    request.body = buffer.substr(body_at, announced);
    buffer.erase(0, body_at + announced);
    std::size_t index = 0;
    {
        const std::lock_guard lock(mutex_);
        index = requests_.size();
        requests_.push_back(std::move(request));
        changed_.notify_all();
    }
    return answer(socket, how, index);
}

// Waits unless the collector is closed meanwhile.
bool fake_collector::pause(std::chrono::milliseconds delay) const {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, delay, [this] { return stopping_.load(); });
}

bool fake_collector::answer(int socket, const fake_response& how, std::size_t request) {
    if (how.silent) {
        std::string ignored;
        while (read_more(socket, ignored)) {
        }
        return false;
    }
    if (how.cut) return false;
    if (!pause(how.delay)) return false;
    if (how.garbage) {
        write_all(socket, "\x16\x03\x01 this is not HTTP\r\n\r\n");
        return false;
    }
    std::string head = "HTTP/1.1 " + std::to_string(how.status) + " Fake\r\n";
    head += "Content-Type: application/x-protobuf\r\n";
    if (!how.retry_after.empty()) head += "Retry-After: " + how.retry_after + "\r\n";
    if (how.retry_after_date) head += "Retry-After: " + http_date(*how.retry_after_date) + "\r\n";
    for (const auto& [name, value] : how.headers) head += name + ": " + value + "\r\n";
    const std::size_t size = how.body.size() + (how.stalling_body ? 1 : 0);
    if (!how.endless_body) head += "Content-Length: " + std::to_string(size) + "\r\n";
    {
        // Before the first byte: who sees the answer also sees that it was given.
        const std::lock_guard lock(mutex_);
        requests_[request].answered = how.status;
        requests_[request].answered_at = std::chrono::steady_clock::now();
    }
    if (!write_all(socket, head + "\r\n" + how.body)) return false;
    if (how.stalling_body) {
        std::string ignored;
        while (read_more(socket, ignored)) {
        }
        return false;
    }
    const std::string zeros(65536, '\0');
    while (how.endless_body && !stopping_)
        if (!write_all(socket, zeros)) return false;
    return true;
}

}  // namespace gym::telemetry::test
