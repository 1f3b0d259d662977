// SPDX-License-Identifier: Apache-2.0
//
// libcurl, wrapped: one POST at a time to one URL, and the sockets that it opens.
#pragma once

#include "base/result.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <curl/curl.h>

namespace gym::telemetry::detail {

// What a server answers is read so far.
inline constexpr std::size_t answer_bytes_max = 65536;

// Calls curl_global_init, once a process. To be called before an exit handler is registered that
// sends: OpenSSL registers its own clean-up in there, and what is registered later runs earlier.
bool prepare_http() noexcept;

struct http_target {
    std::string url{};
    std::vector<std::pair<std::string, std::string>> headers{};  // without the content's own
    std::string certificate{};                                   // files; empty: the system's
    std::string client_certificate{};
    std::string client_key{};
    bool compress = false;
    // From the beginning of a request's first try to the end of its last one.
    std::chrono::milliseconds timeout{10000};
};

// The sockets that are open, so that a forked child can close its copies: the connection would
// otherwise stay half open until the child ends. Close-on-exec, all of them.
class socket_list {
public:
    void attach(CURL* handle) noexcept;
    void close_all() noexcept;  // neither locks nor frees

private:
    static curl_socket_t open(void* self, curlsocktype purpose, curl_sockaddr* address) noexcept;
    static int close(void* self, curl_socket_t which) noexcept;

    // More than one exporter ever has: two signals, an old connection each, and name look-ups.
    std::array<std::atomic<int>, 16> open_{};  // descriptor + 1
};

class http_transfer {
public:
    // Fails when the URL cannot be used.
    static result<std::unique_ptr<http_transfer>> make(const http_target& target,
                                                       socket_list& sockets);
    ~http_transfer();
    http_transfer(const http_transfer&) = delete;
    http_transfer& operator=(const http_transfer&) = delete;

    // The URL as it may be shown: without user, password and query.
    const std::string& shown_url() const noexcept { return shown_url_; }

    // The body of the requests that follow; compressed where the target asks for it.
    void set_body(std::string_view body);
    std::string_view body() const noexcept { return body_; }

    // Adds the transfer to `multi`; false when libcurl refuses.
    bool start(CURLM* multi, std::chrono::milliseconds timeout) noexcept;
    // Takes it out, done or not. Its connection is closed when it is not.
    void stop(CURLM* multi) noexcept;

    CURL* handle() const noexcept { return handle_; }
    // Of the answer, so far: 0 while there is none.
    long status() const noexcept { return status_; }
    const std::string& retry_after() const noexcept { return retry_after_; }
    const std::string& answer() const noexcept { return answer_; }
    std::chrono::steady_clock::time_point answered_at() const noexcept { return answered_at_; }

private:
    http_transfer() = default;
    bool set_up(const http_target& target, socket_list& sockets);
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) noexcept;

    CURL* handle_ = nullptr;
    curl_slist* headers_ = nullptr;
    bool compress_ = false;
    std::string shown_url_;
    std::string compressed_;
    std::string_view body_;

    long status_ = 0;
    std::string retry_after_;
    std::string answer_;
    std::chrono::steady_clock::time_point answered_at_{};
};

}  // namespace gym::telemetry::detail
