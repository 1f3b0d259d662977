// SPDX-License-Identifier: Apache-2.0
//
// What the client is asked for and what it answers.
#pragma once

#include <gym/telemetry/detail/api.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::http {

struct header {
    std::string name;
    std::string value;
};

// Why there is no answer of the server's.
enum class http_error : std::uint8_t {
    none,
    invalid_request,     // a URL or header that cannot be sent; never asked the pool
    resolve,             // the host's name is unknown
    connect,             // refused, unreachable, or given up by the system
    tls,                 // handshake or certificate
    timed_out,           // timeout_ms, or acquire_timeout_ms while queued or connecting
    cancelled,           // by cancel()
    reset,               // the peer closed before the answer was whole
    protocol,            // an answer that is no HTTP
    too_many_redirects,  // more than max_redirects, or one that leads nowhere
    body,                // a source or sink gave up, or the body is larger than body_size_max
    closed,              // the client was destroyed
    other,
};

// Stable name of an error, such as "timed_out".
GYM_TELEMETRY_API std::string_view error_name(http_error what) noexcept;

struct response {
    int status = 0;  // 0 when there is no answer
    http_error error = http_error::none;
    std::string message;          // of the error, for people
    std::vector<header> headers;  // of the last answer, in order, names as they came
    std::string body;             // empty when the request had a sink
    int attempts = 0;   // times the request went out or tried to, retries and hops counted
    int redirects = 0;  // hops that were followed
    int connects = 0;   // connections that had to be opened for it

    bool answered() const noexcept { return error == http_error::none; }
    // The value of the first header of that name, in any case; empty when there is none.
    GYM_TELEMETRY_API std::string_view header_value(std::string_view name) const noexcept;
};

// A request body that is made while it is sent. Called on the loop's thread, must not block.
class body_source {
public:
    static constexpr std::ptrdiff_t pause = -1;  // nothing now: client::resume goes on
    static constexpr std::ptrdiff_t abort = -2;  // ends the request with http_error::body

    virtual ~body_source() = default;
    // Bytes written to `into`, 0 at the end, or one of the above.
    virtual std::ptrdiff_t read(std::span<char> into) = 0;
    // In bytes; negative when unknown, which sends chunks.
    virtual std::int64_t size_bytes() const { return -1; }
    // For a retry, a redirect that keeps the body, or a kept connection that turned out dead: may
    // it go back to the start, and does it. Without, none of these is done.
    virtual bool can_rewind() const { return false; }
    virtual bool rewind() { return false; }
};

// A response body that is taken while it arrives. Called on the loop's thread, must not block.
// Bodies of answers that are retried or followed elsewhere never reach it.
class body_sink {
public:
    enum class flow : std::uint8_t {
        go_on,
        pause,  // the same bytes come again after client::resume
        abort,  // ends the request with http_error::body
    };

    virtual ~body_sink() = default;
    // Status and headers are there, the body begins.
    virtual flow begin(const response&) { return flow::go_on; }
    virtual flow write(std::string_view bytes) = 0;
};

// How often a request is tried again, and when. A retry queues like any other acquisition.
struct retry_policy {
    int retries = 0;
    // The pause before retry n is drawn from [d/2, d], d = first_ms * 2^(n-1), at most max_ms.
    // A Retry-After in seconds counts instead when it is longer, up to max_ms.
    std::int64_t first_ms = 100;
    std::int64_t max_ms = 10000;
    // Also methods that are not idempotent (POST, PATCH) after their request may have arrived.
    // Without it they are retried only when no connection could be opened.
    bool any_method = false;
};

// One logical request: with its redirects and retries it has one name, one timeout, one answer.
struct request {
    std::string method = "GET";
    std::string url;  // http or https
    std::vector<header> headers{};
    std::string body{};
    std::shared_ptr<body_source> source{};  // instead of body
    std::shared_ptr<body_sink> sink{};
    // The configured name of the server that is called; empty: `external`. Never taken from a
    // destination_scope around the call (see destination.hpp).
    std::string server_name{};
    std::string traceparent{};            // W3C; empty: client_options::traceparent is asked
    std::int64_t timeout_ms = 0;          // of everything together, 0: none
    std::int64_t acquire_timeout_ms = 0;  // queued and connecting, of each acquisition; 0: none
    int max_redirects = 10;               // 0: a redirect is the answer
    retry_policy retry{};
};

}  // namespace gym::telemetry::http
