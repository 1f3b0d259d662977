// SPDX-License-Identifier: Apache-2.0
//
// curl as a loop uses it: its easy handles, the multi handles that they run on (see placement.hpp
// for why there are several), their timers and sockets.
#pragma once

#include "http/placement.hpp"
#include "http/socket_watch.hpp"
#include "http/timer_heap.hpp"
#include "http/transfer.hpp"

#include <gym/telemetry/http/client.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include <curl/curl.h>

namespace gym::telemetry::http {

// Who is told when curl is done with a transfer. May add and remove transfers from there.
class multi_owner {
public:
    virtual void finished(transfer& t, CURLcode code) = 0;

protected:
    ~multi_owner() = default;
};

// One thread.
class multi_set {
public:
    multi_set(multi_owner& owner, const client_options& options, socket_watch& watch);
    // After all transfers were removed.
    ~multi_set();
    multi_set(const multi_set&) = delete;
    multi_set& operator=(const multi_set&) = delete;

    bool ready() const noexcept { return !shards_.empty(); }

    // Gives the transfer a handle and sets curl to work; false when curl is out of memory.
    bool add(transfer& t);
    // Takes it off curl, whatever state it is in.
    void remove(transfer& t);
    // A new socket for it, for curl to connect.
    curl_socket_t open_socket(transfer& t, const curl_sockaddr& address);

    // Something happened on a socket (epoll's events).
    void act(int fd, std::uint32_t events);
    // When curl wants run_timers() to be called.
    time_ns next() const noexcept;
    void run_timers();

private:
    struct shard {
        multi_set* set = nullptr;
        CURLM* multi = nullptr;
        std::size_t index = 0;
        time_ns due = never;
        long most = 0;  // connections, as curl was told
    };

    bool begin_shard();
    std::size_t shards_for(const transfer& t) const noexcept;
    CURL* take_handle();
    void limit_idle(shard& of, std::int64_t most);
    void let_act(shard& of, curl_socket_t fd, int mask);
    void take_finished(shard& of);

    static int on_watch(CURL* easy, curl_socket_t fd, int what, void* user, void* unused);
    static int on_timer(CURLM* multi, long timeout_ms, void* user);
    static int on_close_socket(void* user, curl_socket_t fd);

    multi_owner& owner_;
    const client_options& options_;
    socket_watch& watch_;
    std::size_t shards_max_;
    placement placement_;
    CURLSH* shared_;  // names and TLS sessions
    std::vector<std::unique_ptr<shard>> shards_;
    std::vector<CURL*> handles_;  // not in use
};

}  // namespace gym::telemetry::http
