// SPDX-License-Identifier: Apache-2.0
#include "http/multi_set.hpp"

#include "base/clock.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace gym::telemetry::http {

namespace {

using telemetry::detail::steady_now_ns;

// Handles that are kept for the next requests; each is about 6 KB.
constexpr std::size_t handles_kept_max = 1024;
// Of one shard: so few that curl's search through them does not show, so many that the shard itself
// (some 10 KB and an eventfd) does not either. docs/http.md has the measurement.
constexpr std::int64_t connections_each = 32;
constexpr std::int64_t shards_max = 128;
// Each that is used for TLS reads the certificates of all authorities for itself.
constexpr std::size_t shards_max_tls = 4;

// Streams of HTTP/2 find each other only on one multi handle, and need few connections.
std::size_t shards_for_all(const client_options& options) noexcept {
    if (options.version != http_version::http_1_1) return 1;
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(options.idle_connections_max / connections_each, 1, shards_max));
}

}  // namespace

multi_set::multi_set(multi_owner& owner, const client_options& options, socket_watch& watch)
    : owner_(owner),
      options_(options),
      watch_(watch),
      shards_max_(shards_for_all(options)),
      placement_(connections_each),
      shared_(curl_share_init()) {
    if (shared_ == nullptr) return;
    // Without locks: all of it belongs to one thread.
    curl_share_setopt(shared_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(shared_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    begin_shard();
}

multi_set::~multi_set() {
    for (CURL* easy : handles_) curl_easy_cleanup(easy);
    for (const std::unique_ptr<shard>& each : shards_) curl_multi_cleanup(each->multi);
    curl_share_cleanup(shared_);
}

bool multi_set::begin_shard() {
    auto made = std::make_unique<shard>();
    made->set = this;
    made->index = shards_.size();
    made->multi = curl_multi_init();
    if (made->multi == nullptr) return false;
    curl_multi_setopt(made->multi, CURLMOPT_SOCKETFUNCTION, &on_watch);
    curl_multi_setopt(made->multi, CURLMOPT_SOCKETDATA, made.get());
    curl_multi_setopt(made->multi, CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_multi_setopt(made->multi, CURLMOPT_TIMERDATA, made.get());
    limit_idle(*made, options_.idle_connections_max);
    // The limits are the admission's; curl only keeps what is idle.
    curl_multi_setopt(made->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, 0L);
    curl_multi_setopt(made->multi, CURLMOPT_MAX_HOST_CONNECTIONS, 0L);
    shards_.push_back(std::move(made));
    return true;
}

std::size_t multi_set::shards_for(const transfer& t) const noexcept {
    return t.origin.starts_with("https:") ? std::min(shards_max_, shards_max_tls) : shards_max_;
}

CURL* multi_set::take_handle() {
    if (!handles_.empty()) {
        CURL* easy = handles_.back();
        handles_.pop_back();
        return easy;
    }
    CURL* easy = curl_easy_init();
    if (easy == nullptr) return nullptr;
    configure_handle(easy, options_);
    curl_easy_setopt(easy, CURLOPT_SHARE, shared_);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &on_close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
    return easy;
}

void multi_set::limit_idle(shard& of, std::int64_t most) {
    const long wanted = static_cast<long>(std::clamp<std::int64_t>(most, 1, 1 << 30));
    if (wanted == of.most) return;
    of.most = wanted;
    curl_multi_setopt(of.multi, CURLMOPT_MAXCONNECTS, wanted);
}

// curl compares its limit with all connections of a multi handle, in use or not, when one becomes
// idle, and then closes the one that was idle for longest. So that it limits the idle ones of all
// shards, it is told what fits before it may find that a transfer is done. Of HTTP/2 a connection
// becomes idle with its last stream, and only curl knows which that is: there the limit is curl's.
void multi_set::let_act(shard& of, curl_socket_t fd, int mask) {
    if (options_.version == http_version::http_1_1) {
        const bool fits = placement_.idle() < options_.idle_connections_max;
        limit_idle(of, fits ? INT64_MAX : placement_.open(of.index) - 1);
    }
    int running = 0;
    curl_multi_socket_action(of.multi, fd, mask, &running);
    take_finished(of);
}

bool multi_set::add(transfer& t) {
    t.easy = take_handle();
    if (t.easy == nullptr || !configure(t)) return false;
    t.place = placement_.take(t.origin, shards_for(t));
    if (t.place.shard >= shards_.size() && !begin_shard()) return false;
    return curl_multi_add_handle(shards_[t.place.shard]->multi, t.easy) == CURLM_OK;
}

void multi_set::remove(transfer& t) {
    CURL* easy = std::exchange(t.easy, nullptr);
    if (easy == nullptr) return;
    if (t.place.to != nullptr) {
        if (t.place.shard < shards_.size())
            curl_multi_remove_handle(shards_[t.place.shard]->multi, easy);
        placement_.give_back(std::exchange(t.place, {}));
    }
    if (handles_.size() < handles_kept_max) {
        handles_.push_back(easy);
    } else {
        curl_easy_cleanup(easy);
    }
}

curl_socket_t multi_set::open_socket(transfer& t, const curl_sockaddr& address) {
    const int fd = socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
    if (fd < 0) return CURL_SOCKET_BAD;
    watch_.opened(fd);
    placement_.opened(fd, t.place);
    return fd;
}

void multi_set::act(int fd, std::uint32_t events) {
    auto* of = static_cast<shard*>(watch_.wanted_by(fd));
    if (of == nullptr) {
        // Nobody uses it; curl finds out at its next use that its peer has closed it.
        if ((events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0) placement_.lost(fd);
        return;
    }
    int mask = 0;
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0) mask |= CURL_CSELECT_IN;
    if ((events & (EPOLLOUT | EPOLLERR)) != 0) mask |= CURL_CSELECT_OUT;
    let_act(*of, fd, mask);
}

void multi_set::take_finished(shard& of) {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(of.multi, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        char* user = nullptr;
        const CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
        owner_.finished(*reinterpret_cast<transfer*>(user), code);
    }
}

time_ns multi_set::next() const noexcept {
    time_ns due = never;
    for (const std::unique_ptr<shard>& each : shards_) due = std::min(due, each->due);
    return due;
}

void multi_set::run_timers() {
    while (next() <= steady_now_ns()) {
        // By index: what finishes may set off another request, and that may begin a shard.
        for (std::size_t i = 0; i < shards_.size(); ++i) {
            shard& each = *shards_[i];
            if (each.due > steady_now_ns()) continue;
            each.due = never;
            let_act(each, CURL_SOCKET_TIMEOUT, 0);
        }
    }
}

// --- what curl calls -----------------------------------------------------------------------------

int multi_set::on_watch(CURL*, curl_socket_t fd, int what, void* user, void*) {
    std::uint32_t events = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) events |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) events |= EPOLLOUT;
    static_cast<shard*>(user)->set->watch_.want(fd, events, user);
    return 0;
}

int multi_set::on_timer(CURLM*, long timeout_ms, void* user) {
    constexpr time_ns ns_per_ms = 1'000'000;
    static_cast<shard*>(user)->due =
        timeout_ms < 0 ? never : steady_now_ns() + timeout_ms * ns_per_ms;
    return 0;
}

int multi_set::on_close_socket(void* user, curl_socket_t fd) {
    auto& set = *static_cast<multi_set*>(user);
    set.watch_.closing(fd);
    set.placement_.lost(fd);
    return close(fd);
}

}  // namespace gym::telemetry::http
