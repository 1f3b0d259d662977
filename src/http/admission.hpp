// SPDX-License-Identifier: Apache-2.0
//
// Who gets a slot of the pool, and when: a state machine on a clock that is handed in, without
// sockets, so that a virtual clock and the real client drive the same code.
//
// It is ours rather than curl's because curl's queue hides which limit binds and counts idle
// connections. Here a slot is held from the moment an acquisition is admitted (so while it opens
// its connection, too) until its holder releases it; idle connections hold none.
#pragma once

#include "http/pool_recorder.hpp"
#include "http/timer_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gym::telemetry::http {

// 0 is no limit.
struct slot_limits {
    std::int64_t total = 0;
    std::int64_t per_host = 0;
};

struct occupancy {
    slot_limits limits;
    std::int64_t used_total = 0;
    std::int64_t used_by_host = 0;
};

// Which limit binds: `total` when the total is exhausted, whatever the host's says, else
// `per_host`.
std::string_view binding_constraint(const occupancy& now);

enum class acquisition_state : std::uint8_t {
    idle,      // not asked yet, or over
    waiting,   // in the queue
    admitted,  // holds a slot, no connection yet
    opening,   // holds a slot, its new connection is being opened
    held,      // holds a slot and a usable connection
};

struct host_slots;

// One acquisition. Its owner embeds it and keeps it in place until it is idle again.
struct acquisition {
    // Set by the owner before it asks.
    std::string host;
    std::string_view destination;  // lives as long as the acquisition is not idle
    time_ns deadline = never;      // for waiting and opening together
    void* owner = nullptr;         // whatever finds the owner's own part again

    // The admission's own.
    acquisition_state state = acquisition_state::idle;
    host_slots* slots = nullptr;
    acquisition* previous = nullptr;
    acquisition* next = nullptr;
    std::uint64_t sequence = 0;
    time_ns since = 0;  // when the wait or the opening began
    std::string_view constraint;
    timer_hook timer;
};

// What an admission tells its owner, who may call it again from there.
class admission_owner {
public:
    // One that waited has a slot now; its state is `admitted`.
    virtual void granted(acquisition& who, time_ns now) = 0;

protected:
    ~admission_owner() = default;
};

// One thread. The clock that `now` comes from never goes back.
class admission {
public:
    using introspection = std::string_view (*)(const occupancy&);

    // `recorder` null: nothing is measured. It and `introspect` may throw: that loses the one
    // measurement, or makes the constraint `unknown`, and never reaches a caller.
    admission(admission_owner& owner, slot_limits limits, pool_recorder* recorder,
              introspection introspect = &binding_constraint);
    ~admission();
    admission(const admission&) = delete;
    admission& operator=(const admission&) = delete;

    // True: `who` has a slot. False: it waits, behind all that the limits would admit before it.
    bool acquire(acquisition& who, time_ns now);
    // The holder of a slot begins to open a new connection (since `since`): its first, or another
    // one because the one it had turned out to be dead.
    void begin_open(acquisition& who, time_ns since);
    // That connection is open. `duration_ms` negative: the time since begin_open.
    void opened(acquisition& who, time_ns now, double duration_ms = -1);
    // The holder of a slot uses a connection that was open already; what began to open did not.
    void reused(acquisition& who);
    // Gives the slot back, or gives up waiting; a connection that was being opened has failed.
    // Whoever waited and is admissible now is granted before this returns.
    void release(acquisition& who, time_ns now);

    time_ns next_deadline() const noexcept { return deadlines_.next(); }
    // One whose deadline has passed while it waited or opened, for its owner to release; null when
    // there is none. Each is handed out once.
    acquisition* pop_expired(time_ns now) noexcept { return deadlines_.pop(now); }

    std::int64_t used() const noexcept { return used_; }
    std::int64_t waiting() const noexcept { return waiting_; }
    std::size_t hosts() const noexcept { return hosts_.size(); }
    // Measurements lost because the recorder threw.
    std::int64_t recorder_failures() const noexcept { return recorder_failures_; }

private:
    struct name_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>()(name);
        }
    };

    host_slots& slots_of(const std::string& host);
    void drop_unused_hosts();
    bool admits(const host_slots& slots) const noexcept;
    acquisition* longest_admissible() const noexcept;
    void take(acquisition& who);
    void give_back(acquisition& who);
    void enqueue(acquisition& who, time_ns now);
    void dequeue(acquisition& who);
    void refresh(host_slots& slots);
    void dispatch(time_ns now);
    void record_wait(acquisition& who, std::string_view outcome, time_ns now) noexcept;
    void record_open(acquisition& who, std::string_view outcome, double duration_ms) noexcept;
    template <class Record>
    void guarded(Record record) noexcept;

    admission_owner& owner_;
    slot_limits limits_;
    pool_recorder* recorder_;
    introspection introspect_;
    std::unordered_map<std::string, host_slots, name_hash, std::equal_to<>> hosts_;
    // Hosts with waiters and room of their own, by the sequence of their longest waiter: the head
    // is the longest waiter whom the per-host limits admit.
    std::set<std::pair<std::uint64_t, host_slots*>> ready_;
    timer_heap<acquisition, &acquisition::timer> deadlines_;
    std::size_t sweep_at_;  // hosts in the table before the unused ones are dropped
    std::int64_t used_ = 0;
    std::int64_t waiting_ = 0;
    std::int64_t recorder_failures_ = 0;
    std::uint64_t sequence_ = 0;
    bool dispatching_ = false;
};

// What the admission keeps about one host.
struct host_slots {
    std::int64_t used = 0;
    acquisition* first = nullptr;
    acquisition* last = nullptr;
    std::uint64_t ready_as = 0;  // its key in admission::ready_, 0 when it is not there
};

}  // namespace gym::telemetry::http
