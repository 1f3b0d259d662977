// SPDX-License-Identifier: Apache-2.0
#include "http/client_loop.hpp"

#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "http/retry.hpp"
#include "http/url.hpp"

#include <gym/telemetry/http/destination.hpp>

#include <algorithm>
#include <cassert>
#include <utility>

namespace gym::telemetry::http {

namespace {

using telemetry::detail::diagnose;
using telemetry::detail::steady_now_ns;

constexpr time_ns ns_per_ms = 1'000'000;
constexpr const char* closed_message = "the client was destroyed";

time_ns after_ms(time_ns now, std::int64_t ms) noexcept {
    return ms > (never - now) / ns_per_ms ? never : now + ms * ns_per_ms;
}

}  // namespace

client_loop::client_loop(const client_options& options, slot_limits limits, pool_recorder* recorder)
    : options_(options),
      multis_(*this, options_, watch_),
      admission_(*this, limits, recorder),
      random_(std::random_device{}()) {}

client_loop::~client_loop() {
    closing_ = true;
    // Waiters first: nobody is to be granted a slot by a client that ends.
    end_all([](const transfer& t) { return t.slot.state == acquisition_state::waiting; });
    end_all([](const transfer&) { return true; });
    take_inbox();
    while (!ended_.empty()) {
        deliver();
        take_inbox();  // What a completion has sent meanwhile ends the same way.
    }
}

template <class Which>
void client_loop::end_all(Which which) {
    std::vector<transfer*> chosen;
    for (const auto& [id, t] : transfers_)
        if (which(*t)) chosen.push_back(t.get());
    for (transfer* t : chosen) give_up(*t, http_error::closed, closed_message);
}

// --- the way in ----------------------------------------------------------------------------------

void client_loop::post(command what) {
    bool first = false;
    {
        const std::lock_guard guard(inbox_lock_);
        first = inbox_.empty();
        inbox_.push_back(std::move(what));
    }
    // The loop's own thread looks into the inbox before it waits again.
    if (first && thread_.load(std::memory_order_relaxed) != std::this_thread::get_id())
        watch_.wake();
}

request_id client_loop::submit(std::unique_ptr<transfer> made) {
    // Relaxed: only its uniqueness counts; the inbox's lock publishes the rest.
    const request_id id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
    made->id = id;
    made->loop = this;
    post({command::kind::begin, id, std::move(made)});
    return id;
}

void client_loop::stop() {
    stopped_.store(true, std::memory_order_release);
    watch_.wake();
}

void client_loop::take_inbox() {
    {
        const std::lock_guard guard(inbox_lock_);
        std::swap(inbox_, taken_);
    }
    for (command& each : taken_) obey(each);
    taken_.clear();
}

void client_loop::obey(command& what) {
    if (what.what == command::kind::begin) return begin(std::move(what.made));
    const auto found = transfers_.find(what.id);
    if (found == transfers_.end()) return;
    transfer& t = *found->second;
    if (what.what == command::kind::cancel) {
        give_up(t, http_error::cancelled, "cancelled");
    } else if (t.easy != nullptr) {
        curl_easy_pause(t.easy, CURLPAUSE_CONT);
    }
}

void client_loop::begin(std::unique_ptr<transfer> made) {
    transfer& t = *made;
    transfers_.emplace(t.id, std::move(made));
    if (closing_) return give_up(t, http_error::closed, closed_message);
    if (const std::string problem = prepare(t); !problem.empty())
        return give_up(t, http_error::invalid_request, problem.c_str());
    t.slot.owner = &t;
    if (t.what.timeout_ms > 0) deadlines_.set(t, after_ms(steady_now_ns(), t.what.timeout_ms));
    attempt(t);
}

// --- one attempt ---------------------------------------------------------------------------------

void client_loop::attempt(transfer& t) {
    const time_ns now = steady_now_ns();
    const destination_scope scope(t.destination);
    reset_attempt(t);
    t.slot.host = t.origin;
    t.slot.destination = current_destination();
    t.slot.deadline =
        t.what.acquire_timeout_ms > 0 ? after_ms(now, t.what.acquire_timeout_ms) : never;
    if (admission_.acquire(t.slot, now)) launch(t);
}

void client_loop::granted(acquisition& who, time_ns) {
    auto& t = *static_cast<transfer*>(who.owner);
    const destination_scope scope(t.destination);
    launch(t);
}

void client_loop::launch(transfer& t) {
    ++t.answer.attempts;
    // Taken back when it turns out that an open connection is used.
    admission_.begin_open(t.slot, steady_now_ns());
    if (!multis_.add(t)) give_up(t, http_error::other, "curl is out of memory");
}

curl_socket_t client_loop::open_socket(transfer& t, const curl_sockaddr& address) {
    const curl_socket_t fd = multis_.open_socket(t, address);
    if (fd == CURL_SOCKET_BAD) return fd;
    t.dialled = true;
    // The connection it had was dead after all, and curl opens another one.
    if (t.slot.state == acquisition_state::held) admission_.begin_open(t.slot, steady_now_ns());
    return fd;
}

void client_loop::connected(transfer& t) {
    const bool reopened = t.reached;
    t.reached = true;
    if (t.slot.state != acquisition_state::opening) return;
    if (connects_of(t.easy) == 0) return admission_.reused(t.slot);
    // curl's timers count from the start of the transfer, so for a second try ours is the one.
    admission_.opened(t.slot, steady_now_ns(), reopened ? -1 : connect_ms_of(t.easy));
    ++t.answer.connects;
}

void client_loop::leave_curl(transfer& t) {
    if (t.easy == nullptr) return;
    if (t.slot.state == acquisition_state::opening) {
        // A stream that waited for another one's connection, or a URL that curl refused: it has not
        // begun to open any. curl's queue time is 0 until then, some microseconds afterwards; and
        // it stays 0 where the host's name was found to be unknown before curl first asked.
        const bool begun = t.dialled || queue_ms_of(t.easy) > 0;
        if (!begun && t.answer.error != http_error::resolve) admission_.reused(t.slot);
    }
    multis_.remove(t);
}

void client_loop::release_slot(transfer& t) {
    leave_curl(t);
    if (t.slot.state != acquisition_state::idle) admission_.release(t.slot, steady_now_ns());
}

void client_loop::end_attempt(transfer& t, http_error error, const char* message) {
    if (t.refused != http_error::none) error = t.refused;
    t.answer.error = error;
    t.answer.message = error == http_error::none ? "" : message;
    const bool reached = t.reached;
    release_slot(t);
    if (error == http_error::none && go_on_elsewhere(t)) return;
    if (go_on_later(t, reached)) return;
    finish(t);
}

// Follows a redirect: a new acquisition, behind those that wait already.
bool client_loop::go_on_elsewhere(transfer& t) {
    if (!is_redirect(t.answer.status) || t.what.max_redirects <= 0) return false;
    const std::string location(t.answer.header_value("location"));
    if (location.empty()) return false;
    const std::string method = redirected_method(t.answer.status, t.method);
    const bool with_body = t.with_body && method == t.method;
    auto target = resolve_redirect(t.url, location);
    const bool rewound = !with_body || rewind_body(t);
    if (t.answer.redirects >= t.what.max_redirects || !target || !rewound) {
        t.answer.error = !rewound ? http_error::body : http_error::too_many_redirects;
        t.answer.message = !rewound  ? "a redirect wants the body again, which cannot be rewound"
                           : !target ? "a redirect leads to no http or https URL"
                                     : "more redirects than max_redirects";
        finish(t);
        return true;
    }
    const auto origin = origin_of(*target);
    if (*origin != t.origin) t.with_credentials = false;
    t.origin = *origin;
    t.url = std::move(*target);
    t.method = method;
    t.with_body = with_body;
    ++t.answer.redirects;
    attempt(t);
    return true;
}

bool client_loop::go_on_later(transfer& t, bool reached) {
    if (t.body_begun) return false;  // The sink has seen part of an answer already.
    if (!may_retry(t.what, t.retries, t.answer.error, t.answer.status, reached)) return false;
    // An answer was judged when its head came; everything else goes back to the start here.
    if (t.answer.error == http_error::none && !t.discarded) return false;
    if (t.with_body && !rewind_body(t)) return false;
    ++t.retries;
    const double drawn = static_cast<double>(random_() - std::minstd_rand::min()) /
                         (static_cast<double>(std::minstd_rand::max()) + 1);
    const auto asked = parse_retry_after(t.answer.header_value("retry-after"));
    const std::int64_t pause = backoff_ms(t.what.retry, t.retries, drawn, asked);
    pauses_.set(t, after_ms(steady_now_ns(), pause));
    return true;
}

void client_loop::give_up(transfer& t, http_error error, const char* message) {
    t.answer.error = error;
    t.answer.message = message;
    release_slot(t);
    finish(t);
}

void client_loop::finish(transfer& t) {
    deadlines_.clear(t);
    pauses_.clear(t);
    const auto found = transfers_.find(t.id);
    assert(found != transfers_.end());
    ended_.push_back(std::move(found->second));
    transfers_.erase(found);
}

// Last in a turn, when no list of ours is being walked: completions send and cancel.
void client_loop::deliver() {
    std::vector<std::unique_ptr<transfer>> ended = std::exchange(ended_, {});
    for (const std::unique_ptr<transfer>& each : ended) {
        try {
            each->then->done(std::move(each->answer));
        } catch (...) {
            diagnose("http.completion", "a completion of an HTTP request threw");
        }
    }
}

// --- the loop ------------------------------------------------------------------------------------

void client_loop::run_timers() {
    const time_ns now = steady_now_ns();
    while (acquisition* who = admission_.pop_expired(now)) {
        end_attempt(*static_cast<transfer*>(who->owner), http_error::timed_out,
                    who->state == acquisition_state::waiting ? "no free slot in time"
                                                             : "no connection in time");
    }
    while (transfer* t = deadlines_.pop(now)) give_up(*t, http_error::timed_out, "timed out");
    while (transfer* t = pauses_.pop(now)) attempt(*t);
}

void client_loop::finished(transfer& t, CURLcode code) {
    end_attempt(t, error_of(code), curl_easy_strerror(code));
}

std::int64_t client_loop::until_next(time_ns now) {
    const time_ns due =
        std::min({multis_.next(), admission_.next_deadline(), deadlines_.next(), pauses_.next()});
    {
        const std::lock_guard guard(inbox_lock_);
        if (!inbox_.empty() || !ended_.empty()) return 0;
    }
    if (due == never) return -1;
    // Rounded up: a wait that ends early would spin until the time has come.
    return due <= now ? 0 : (due - now + ns_per_ms - 1) / ns_per_ms;
}

std::int64_t client_loop::drive(std::int64_t wait_ms) {
    thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    take_inbox();
    run_timers();
    multis_.run_timers();
    const std::int64_t due = until_next(steady_now_ns());
    std::int64_t wait = due < 0 ? wait_ms : wait_ms < 0 ? due : std::min(due, wait_ms);
    wait = std::clamp<std::int64_t>(wait, -1, 1 << 30);
    watch_.wait(static_cast<int>(wait),
                [this](int fd, std::uint32_t events) { multis_.act(fd, events); });
    multis_.run_timers();
    deliver();
    return until_next(steady_now_ns());
}

void client_loop::run() {
    while (!stopped_.load(std::memory_order_acquire)) drive(-1);
}

}  // namespace gym::telemetry::http
