// SPDX-License-Identifier: Apache-2.0
#include "http/socket_watch.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace gym::telemetry::http {

namespace {

constexpr std::size_t events_at_once = 512;

}  // namespace

socket_watch::socket_watch()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      events_(events_at_once) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wake_;
    if (ready()) epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);
}

socket_watch::~socket_watch() {
    if (epoll_ >= 0) close(epoll_);
    if (wake_ >= 0) close(wake_);
}

socket_watch::entry& socket_watch::at(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= entries_.size()) entries_.resize(index + 64);
    return entries_[index];
}

void socket_watch::opened(int fd) {
    at(fd) = {.wanted = 0, .registered = 0, .whom = nullptr, .own = true};
}

// The kernel takes a closed descriptor off the set by itself.
void socket_watch::closing(int fd) {
    at(fd) = {};
}

void socket_watch::update(int fd, entry& which, std::uint32_t events) {
    if (which.registered == events) return;
    epoll_event event{};
    event.events = events | EPOLLRDHUP;
    event.data.fd = fd;
    if (events == 0) {
        epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, &event);
    } else if (which.registered == 0 || epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event) != 0) {
        epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }
    which.registered = events;
}

void socket_watch::want(int fd, std::uint32_t events, void* whom) {
    entry& which = at(fd);
    which.wanted = events;
    which.whom = events == 0 ? nullptr : whom;
    // What we did not open (the resolver's own pipe) may be closed and its number used again
    // without a word, so it never stays.
    if (events == 0 && which.own) return;
    update(fd, which, events);
}

void socket_watch::wake() noexcept {
    const std::uint64_t one = 1;
    // It can only fail when the counter is full, and then the wait returns anyway.
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

int socket_watch::poll(int timeout_ms) {
    const int count =
        epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), timeout_ms);
    return count < 0 ? 0 : count;  // A signal: the caller comes back.
}

void* socket_watch::wanted_by(int fd) noexcept {
    return at(fd).whom;
}

// Whether it is the wake-up. What nobody waits for is taken off the set, lest it wakes us again.
bool socket_watch::is_ours(int fd) {
    if (fd == wake_) {
        std::uint64_t value = 0;
        [[maybe_unused]] const ssize_t got = read(wake_, &value, sizeof value);
        return true;
    }
    entry& which = at(fd);
    if (which.wanted == 0) update(fd, which, 0);
    return false;
}

}  // namespace gym::telemetry::http
