// SPDX-License-Identifier: Apache-2.0
//
// A pool without sockets on a clock that stands still until it is moved, over the same admission as
// the real client: for the conformance cases of the driver `pool` and for tests of the rules. One
// member function for each word of that driver's vocabulary.
#pragma once

#include "http/admission.hpp"

#include <gym/telemetry/http/destination.hpp>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::http {

struct virtual_pool_options {
    slot_limits limits{};
    bool introspection_raises = false;            // the question which limit binds throws
    bool recorder_raises = false;                 // every recorder throws
    bool metrics_enabled = true;                  // what the metrics gate answers from the start
    std::optional<std::string> ambient_server{};  // what the caller's context carries before
};

struct virtual_acquire {
    std::int64_t id = 0;
    std::optional<std::string> server{};  // none: external
    std::string host{};
    std::optional<double> timeout_ms{};  // from now, for waiting and connecting
    bool connect_fails = false;
    double connect_ms = 0;
};

// One thread, whose ambient destination it holds while it lives.
class virtual_pool final : private admission_owner {
public:
    explicit virtual_pool(virtual_pool_options options);
    ~virtual_pool();

    void acquire(const virtual_acquire& how);
    // The holder hands its connection back; not alive: it is lost.
    void release(std::int64_t id, bool alive = true);
    // The caller gives up, waiting or connecting.
    void cancel(std::int64_t id);
    // What falls due on the way happens in its order; of what falls due at the same instant, a
    // connection that opens comes before a timeout.
    void advance_ms(double ms);
    // Hands the connection back, serves whoever waits, and asks again under the same id and name.
    void redirect(std::int64_t id, const std::optional<std::string>& host = std::nullopt);
    // The waiter wakes without a slot and goes on waiting: the same wait.
    void spurious_wakeup(std::int64_t id);
    // Closes the pool and makes a new one with the same limits; idle connections are gone.
    void replace_connector();
    // What the metrics gate answers from now on. Read when a pool is made.
    void set_metrics_enabled(bool on) { options_.metrics_enabled = on; }

    // The ids that got a usable connection at some time, each once, in order of id.
    std::vector<std::int64_t> acquired() const { return {acquired_.begin(), acquired_.end()}; }
    // What the caller's context carries now.
    std::string ambient_server() const { return std::string(current_destination()); }

private:
    struct caller {
        virtual_acquire how;
        std::string destination;
        acquisition slot;
        std::uint64_t opening = 0;  // its key in openings_, with the time
        time_ns opens_at = never;
    };

    void granted(acquisition& who, time_ns now) override;

    void make_pool();
    void close_pool();
    void ask(caller& who);
    void connect(caller& who);
    void finish_open(caller& who);
    void forget_opening(caller& who);
    void hand_back(caller& who, bool alive);
    void step_to(time_ns until);
    caller* find(std::int64_t id, bool holding);

    virtual_pool_options options_;
    std::optional<destination_scope> ambient_;
    std::unique_ptr<pool_recorder> raising_;
    std::unique_ptr<admission> admission_;
    std::list<caller> callers_;
    std::map<std::string, std::int64_t> idle_;  // connections by host
    std::map<std::pair<time_ns, std::uint64_t>, caller*> openings_;
    std::uint64_t opening_count_ = 0;
    std::set<std::int64_t> acquired_;
    time_ns now_ = 0;
};

}  // namespace gym::telemetry::http
