// SPDX-License-Identifier: Apache-2.0
//
// An HTTP client with a connection pool that says how it is doing: how long requests wait for a
// slot and which limit made them wait, what opening connections costs, and how many acquisitions
// there were, by the server that is called. On libcurl's multi interface; docs/http.md has numbers.
//
//     auto client = gym::telemetry::http::client::open({.limit = 256, .limit_per_host = 64});
//     client->send({.url = "http://127.0.0.1:8000/v1/responses", .server_name = "policy_model"},
//                  [](gym::telemetry::http::response&& answer) { ... });
//     auto answer = co_await client->fetch({.url = ...});   // in a coroutine
//     auto answer = client->perform({.url = ...});          // waits
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/http/request.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace gym::telemetry::http {

enum class http_version : std::uint8_t {
    http_1_1,
    http_2_tls,  // where TLS negotiates it, else HTTP/1.1
    http_2,      // without asking, over TLS or not
};

struct tls_options {
    std::string ca_file;             // empty: the system's
    std::string client_certificate;  // PEM file
    std::string client_key;          // PEM file
    bool verify = true;
};

struct client_options {
    // Requests that may use or open a connection at a time, in all and for one host (scheme, name
    // and port); a stream of HTTP/2 counts like a connection. 0 is no limit. They are those of all
    // `workers` processes together: each gets its share, rounded down.
    std::int64_t limit = 0;
    std::int64_t limit_per_host = 0;
    int workers = 1;
    // How much is to run at a time in all workers, for the check at the start; 0: unknown.
    std::int64_t intended_concurrency = 0;
    std::int64_t intended_per_host = 0;

    // Kept open for reuse, beside those in use; 0: none. Of more, those unused for longest are
    // closed. It is kept to a few per cent, and of HTTP/2 it counts connections in use, too.
    std::int64_t idle_connections_max = 4096;
    int idle_timeout_s = 60;       // unused for longer: not used again
    int connection_age_max_s = 0;  // older: not used again; 0: no limit
    http_version version = http_version::http_1_1;
    tls_options tls{};
    std::int64_t body_size_max = 256 << 20;  // bytes of a response body without a sink
    std::string user_agent{};

    // Writes a W3C traceparent and returns its length, 0 for none. Called in send(), on the
    // caller's thread, for requests that bring none.
    std::size_t (*traceparent)(std::span<char> into, void* context) = nullptr;
    void* traceparent_context = nullptr;

    // False: no thread is started, and the caller's own loop drives the client (see drive).
    bool own_thread = true;
};

using request_id = std::uint64_t;

// What happens when a request is over. Called once, on the loop's thread, and must not block; what
// it throws is swallowed with a diagnostic. It may send, cancel and resume, but not destroy the
// client.
class completion {
public:
    virtual void done(response&& answer) = 0;

protected:
    ~completion() = default;
};

class fetch_operation;

// Sockets, timers and curl handles belong to one thread: the client's own or the one that calls
// drive(). All other members may be called from any thread. Make it after init(): whether it
// measures is decided once, when it is made. A forked child must not use its parent's client.
class client {
public:
    // Null when the options cannot be met (negative numbers, a limit that leaves nothing for each
    // worker, no descriptors); `problem` then says why. Complains through diagnostics, cause
    // "http.capacity", once for each way in which what is intended exceeds what there is.
    GYM_TELEMETRY_API static std::unique_ptr<client> open(client_options options,
                                                          std::string* problem = nullptr);
    // Ends every request that is still under way with http_error::closed, in this thread.
    GYM_TELEMETRY_API ~client();
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // `then` must live until it was called.
    GYM_TELEMETRY_API request_id send(request what, completion& then);

    // The same with a callable that takes a response&&.
    template <class Callable>
        requires(!std::is_base_of_v<completion, std::remove_cvref_t<Callable>>)
    request_id send(request what, Callable then) {
        return send(std::move(what), *new callable_completion<Callable>(std::move(then)));
    }

    // `co_await client.fetch(...)` is the response. The coroutine goes on on the loop's thread.
    fetch_operation fetch(request what);

    // Waits for the answer; without a thread of its own it drives the client meanwhile. Not for
    // the loop's thread.
    GYM_TELEMETRY_API response perform(request what);

    // Ends a request with http_error::cancelled, wherever it stands: queued, connecting, under way
    // or pausing before a retry. Nothing happens when it is over.
    GYM_TELEMETRY_API void cancel(request_id id);
    // Goes on after a source or sink paused.
    GYM_TELEMETRY_API void resume(request_id id);

    // For a loop of one's own (own_thread false). The descriptor becomes readable when drive() has
    // something to do; drive() must also be called after at most the time that it returned.
    // Waits at most `wait_ms` itself (0: not at all) and returns in how many ms something falls
    // due, -1 when nothing does.
    GYM_TELEMETRY_API int descriptor() const noexcept;
    GYM_TELEMETRY_API std::int64_t drive(std::int64_t wait_ms = 0);

private:
    template <class Callable>
    class callable_completion final : public completion {
    public:
        explicit callable_completion(Callable callable) : callable_(std::move(callable)) {}
        void done(response&& answer) override {
            const std::unique_ptr<callable_completion> self(this);
            callable_(std::move(answer));
        }

    private:
        Callable callable_;
    };

    struct parts;
    explicit client(std::unique_ptr<parts> made) noexcept;
    std::unique_ptr<parts> parts_;
};

// What `co_await` works on. Lives in the awaiting coroutine's frame.
class [[nodiscard]] fetch_operation final : private completion {
public:
    fetch_operation(client& through, request what) : client_(through), request_(std::move(what)) {}
    fetch_operation(const fetch_operation&) = delete;
    fetch_operation& operator=(const fetch_operation&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        client_.send(std::move(request_), *this);
    }
    response await_resume() noexcept { return std::move(answer_); }

private:
    void done(response&& answer) override {
        answer_ = std::move(answer);
        waiting_.resume();
    }

    client& client_;
    request request_;
    response answer_;
    std::coroutine_handle<> waiting_;
};

inline fetch_operation client::fetch(request what) {
    return {*this, std::move(what)};
}

}  // namespace gym::telemetry::http
