// SPDX-License-Identifier: Apache-2.0
//
// The event loop of a client: admission, curl's multi handles, timers, and the way in from other
// threads.
#pragma once

#include "http/admission.hpp"
#include "http/multi_set.hpp"
#include "http/socket_watch.hpp"
#include "http/timer_heap.hpp"
#include "http/transfer.hpp"

#include <gym/telemetry/http/client.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include <curl/curl.h>

namespace gym::telemetry::http {

// `submit`, `cancel`, `resume` and `stop` from any thread; everything else on the loop's.
class client_loop final : private admission_owner, private multi_owner {
public:
    client_loop(const client_options& options, slot_limits limits, pool_recorder* recorder);
    // Ends what is still under way with http_error::closed.
    ~client_loop();
    client_loop(const client_loop&) = delete;
    client_loop& operator=(const client_loop&) = delete;

    bool ready() const noexcept { return watch_.ready() && multis_.ready(); }
    int descriptor() const noexcept { return watch_.descriptor(); }
    std::size_t body_size_max() const noexcept {
        return static_cast<std::size_t>(options_.body_size_max);
    }

    request_id submit(std::unique_ptr<transfer> made);
    void cancel(request_id id) { post({command::kind::cancel, id, nullptr}); }
    void resume(request_id id) { post({command::kind::resume, id, nullptr}); }
    void stop();

    // Waits at most so long (negative: until something happens), does what there is to do, and
    // returns in how many ms it wants to be called again, -1 when only its descriptor counts.
    std::int64_t drive(std::int64_t wait_ms);
    // drive() until stop().
    void run();

    // From curl's callbacks.
    void connected(transfer& t);
    curl_socket_t open_socket(transfer& t, const curl_sockaddr& address);

private:
    struct command {
        enum class kind : std::uint8_t { begin, cancel, resume };
        kind what;
        request_id id;
        std::unique_ptr<transfer> made;
    };

    void post(command what);
    void take_inbox();
    void obey(command& what);
    void begin(std::unique_ptr<transfer> made);
    template <class Which>
    void end_all(Which which);

    void granted(acquisition& who, time_ns now) override;
    void finished(transfer& t, CURLcode code) override;
    void attempt(transfer& t);
    void launch(transfer& t);
    void leave_curl(transfer& t);
    void release_slot(transfer& t);
    void end_attempt(transfer& t, http_error error, const char* message);
    bool go_on_elsewhere(transfer& t);
    bool go_on_later(transfer& t, bool reached);
    void give_up(transfer& t, http_error error, const char* message);
    void finish(transfer& t);
    void deliver();

    void run_timers();
    std::int64_t until_next(time_ns now);

    const client_options options_;
    socket_watch watch_;
    multi_set multis_;
    admission admission_;
    std::unordered_map<request_id, std::unique_ptr<transfer>> transfers_;
    timer_heap<transfer, &transfer::deadline> deadlines_;
    timer_heap<transfer, &transfer::pause> pauses_;
    std::vector<std::unique_ptr<transfer>> ended_;
    bool closing_ = false;
    std::minstd_rand random_;
    std::atomic<std::thread::id> thread_{};

    std::mutex inbox_lock_;
    std::vector<command> inbox_;
    std::vector<command> taken_;
    std::atomic<request_id> last_id_{0};
    std::atomic<bool> stopped_{false};
};

}  // namespace gym::telemetry::http
