// SPDX-License-Identifier: Apache-2.0
//
// Which sockets curl wants watched, as an epoll set that is touched as rarely as possible. curl
// takes a socket off at the end of each transfer and puts it on again with the next; following it
// literally costs two system calls a request. Here a socket stays in the set until something
// happens on it that nobody waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/epoll.h>

namespace gym::telemetry::http {

// One thread, but for wake().
class socket_watch {
public:
    socket_watch();
    ~socket_watch();
    socket_watch(const socket_watch&) = delete;
    socket_watch& operator=(const socket_watch&) = delete;

    // Whether the descriptors could be made.
    bool ready() const noexcept { return epoll_ >= 0 && wake_ >= 0; }
    int descriptor() const noexcept { return epoll_; }

    // A socket of a connection was made, or is about to be closed. Between the two its number
    // stands for the same socket, so that it may stay in the set.
    void opened(int fd);
    void closing(int fd);
    // What curl wants to know of it: EPOLLIN, EPOLLOUT, both, or 0; and for whom.
    void want(int fd, std::uint32_t events, void* whom);
    // For whom that was; null when nothing is wanted of it now.
    void* wanted_by(int fd) noexcept;

    // Makes a wait that is under way, or the next one, return. Any thread.
    void wake() noexcept;
    // Waits for at most `timeout_ms` (negative: for ever) and hands each socket on which something
    // happened to `each(fd, events)`, also one of which nothing is wanted: its peer hung up.
    template <class Each>
    void wait(int timeout_ms, Each each) {
        const int count = poll(timeout_ms);
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events_[static_cast<std::size_t>(i)];
            if (!is_ours(event.data.fd)) each(event.data.fd, event.events);
        }
    }

private:
    struct entry {
        std::uint32_t wanted = 0;
        std::uint32_t registered = 0;
        void* whom = nullptr;
        bool own = false;  // between opened and closing
    };

    entry& at(int fd);
    void update(int fd, entry& which, std::uint32_t events);
    int poll(int timeout_ms);
    bool is_ours(int fd);

    int epoll_;
    int wake_;
    std::vector<entry> entries_;
    std::vector<epoll_event> events_;
};

}  // namespace gym::telemetry::http
