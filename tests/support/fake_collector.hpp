// SPDX-License-Identifier: Apache-2.0
//
// A receiver of OTLP over HTTP that misbehaves on demand: real sockets on a free loopback port.
//
//     fake_collector collector({{.status = 503}, {.status = 200}});
//     export_to(collector.url());
//     collector.wait_for_requests(2);
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gym::telemetry::test {

// One answer, or what is done instead of answering.
struct fake_response {
    int status = 200;
    std::chrono::milliseconds delay{0};
    std::string retry_after{};                               // the header as it stands
    std::optional<std::chrono::seconds> retry_after_date{};  // as an HTTP date so far ahead
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    bool endless_body = false;   // zero bytes until the client goes away
    bool stalling_body = false;  // announces one byte more than it sends, and keeps silent
    bool silent = false;         // reads the request and never answers
    bool cut = false;            // reads the request, then closes the connection
    bool garbage = false;        // answers something that is not HTTP
    std::optional<std::size_t> reset_after_bytes{};  // of the body, then resets the connection
};

struct received_request {
    std::string method;
    std::string path;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;                            // as sent
    std::chrono::steady_clock::time_point arrived;
    // Status it was answered with; 0 when it was not.
    int answered = 0;
    std::chrono::steady_clock::time_point answered_at{};
};

class fake_collector {
public:
    // `responses` are used in turn, one for each request that arrives, the last one for all later
    // ones. None: 200 and an empty success.
    explicit fake_collector(std::vector<fake_response> responses = {});
    ~fake_collector();
    fake_collector(const fake_collector&) = delete;
    fake_collector& operator=(const fake_collector&) = delete;

    int port() const noexcept { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

    // From now on nobody listens on the port, and open connections are closed; or somebody does
    // again.
    void close_port();
    void open_port();

    void set_responses(std::vector<fake_response> responses);

    // Those read in full, in the order of their arrival.
    std::vector<received_request> requests() const;
    // Those whose header arrived, read in full or not.
    std::size_t attempts() const;
    // When their headers arrived.
    std::vector<std::chrono::steady_clock::time_point> attempt_times() const;
    // False when they did not come within the timeout.
    bool wait_for_requests(std::size_t count, std::chrono::milliseconds timeout =
                                                  std::chrono::milliseconds(10000)) const;
    bool wait_for_attempts(std::size_t count, std::chrono::milliseconds timeout =
                                                  std::chrono::milliseconds(10000)) const;

private:
    struct connection {
        int socket;
        std::thread thread;
    };

    void listen_on(int port);
    void accept_loop();
    void serve(int socket);
    bool serve_one(int socket, std::string& buffer);
    bool answer(int socket, const fake_response& how, std::size_t request);
    bool pause(std::chrono::milliseconds delay) const;
    fake_response next_response();

    int port_ = 0;
    int listener_ = -1;
    std::thread acceptor_;
    std::atomic<bool> stopping_{false};

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::list<connection> connections_;
    std::vector<fake_response> responses_;
    std::size_t attempts_ = 0;
    std::vector<std::chrono::steady_clock::time_point> attempt_times_;
    std::vector<received_request> requests_;
};

}  // namespace gym::telemetry::test
