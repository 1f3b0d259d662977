// SPDX-License-Identifier: Apache-2.0
#include "http/admission.hpp"

#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <cassert>

namespace gym::telemetry::http {

namespace {

// Hosts without holders and waiters are forgotten once there are this many, so that a crawl over
// many hosts does not grow the table for ever, and one host's entry is not made anew each time.
constexpr std::size_t hosts_kept_max = 1024;

double to_ms(time_ns duration) noexcept {
    return static_cast<double>(duration) / 1e6;
}

bool exhausted(std::int64_t used, std::int64_t limit) noexcept {
    return limit > 0 && used >= limit;
}

}  // namespace

std::string_view binding_constraint(const occupancy& now) {
    return exhausted(now.used_total, now.limits.total) ? queue_constraint::total
                                                       : queue_constraint::per_host;
}

admission::admission(admission_owner& owner, slot_limits limits, pool_recorder* recorder,
                     introspection introspect)
    : owner_(owner),
      limits_(limits),
      recorder_(recorder),
      introspect_(introspect),
      sweep_at_(hosts_kept_max) {
    assert(limits.total >= 0 && limits.per_host >= 0);
}

admission::~admission() {
    assert(used_ == 0 && waiting_ == 0);
}

template <class Record>
void admission::guarded(Record record) noexcept {
    if (recorder_ == nullptr) return;
    try {
        record(*recorder_);
    } catch (...) {
        ++recorder_failures_;  // Telemetry changes nothing that it observes.
    }
}

void admission::record_wait(acquisition& who, std::string_view outcome, time_ns now) noexcept {
    guarded([&](pool_recorder& recorder) {
        recorder.queued(to_ms(now - who.since), who.constraint, outcome, who.destination);
    });
}

void admission::record_open(acquisition& who, std::string_view outcome,
                            double duration_ms) noexcept {
    guarded([&](pool_recorder& recorder) {
        recorder.connected(duration_ms, outcome, who.destination);
    });
}

host_slots& admission::slots_of(const std::string& host) {
    if (const auto found = hosts_.find(host); found != hosts_.end()) return found->second;
    if (hosts_.size() >= sweep_at_) drop_unused_hosts();
    return hosts_[host];
}

void admission::drop_unused_hosts() {
    std::erase_if(hosts_, [](const auto& entry) {
        return entry.second.used == 0 && entry.second.first == nullptr;
    });
    sweep_at_ = std::max(hosts_kept_max, 2 * hosts_.size());
}

bool admission::admits(const host_slots& slots) const noexcept {
    return !exhausted(used_, limits_.total) && !exhausted(slots.used, limits_.per_host);
}

acquisition* admission::longest_admissible() const noexcept {
    if (ready_.empty() || exhausted(used_, limits_.total)) return nullptr;
    return ready_.begin()->second->first;
}

void admission::refresh(host_slots& slots) {
    const bool ready = slots.first != nullptr && !exhausted(slots.used, limits_.per_host);
    const std::uint64_t key = ready ? slots.first->sequence : 0;
    if (key == slots.ready_as) return;
    if (slots.ready_as != 0) ready_.erase({slots.ready_as, &slots});
    if (key != 0) ready_.insert({key, &slots});
    slots.ready_as = key;
}

void admission::take(acquisition& who) {
    ++used_;
    ++who.slots->used;
    who.state = acquisition_state::admitted;
    refresh(*who.slots);
}

void admission::give_back(acquisition& who) {
    assert(used_ > 0 && who.slots->used > 0);
    --used_;
    --who.slots->used;
    refresh(*who.slots);
}

void admission::enqueue(acquisition& who, time_ns now) {
    host_slots& slots = *who.slots;
    who.state = acquisition_state::waiting;
    who.since = now;
    who.sequence = ++sequence_;
    who.next = nullptr;
    who.previous = slots.last;
    (slots.last == nullptr ? slots.first : slots.last->next) = &who;
    slots.last = &who;
    ++waiting_;
    if (recorder_ != nullptr) {
        try {
            who.constraint = introspect_({limits_, used_, slots.used});
        } catch (...) {
            who.constraint = queue_constraint::unknown;
        }
    }
    refresh(slots);
}

void admission::dequeue(acquisition& who) {
    host_slots& slots = *who.slots;
    (who.previous == nullptr ? slots.first : who.previous->next) = who.next;
    (who.next == nullptr ? slots.last : who.next->previous) = who.previous;
    who.previous = who.next = nullptr;
    --waiting_;
}

bool admission::acquire(acquisition& who, time_ns now) {
    assert(who.state == acquisition_state::idle);
    guarded([&](pool_recorder& recorder) { recorder.asked(who.destination); });
    who.slots = &slots_of(who.host);
    deadlines_.set(who, who.deadline);
    // A waiter who could be served comes first: that happens only when this is called by somebody
    // who was just granted a slot, while others are still to be granted theirs.
    if (admits(*who.slots) && longest_admissible() == nullptr) {
        take(who);
        return true;
    }
    enqueue(who, now);
    return false;
}

void admission::begin_open(acquisition& who, time_ns since) {
    assert(who.state == acquisition_state::admitted || who.state == acquisition_state::held);
    who.state = acquisition_state::opening;
    who.since = since;
}

void admission::opened(acquisition& who, time_ns now, double duration_ms) {
    assert(who.state == acquisition_state::opening);
    record_open(who, connect_outcome::ok, duration_ms < 0 ? to_ms(now - who.since) : duration_ms);
    who.state = acquisition_state::held;
    deadlines_.clear(who);
}

void admission::reused(acquisition& who) {
    assert(who.slots != nullptr && who.state != acquisition_state::waiting);
    who.state = acquisition_state::held;
    deadlines_.clear(who);
}

void admission::release(acquisition& who, time_ns now) {
    assert(who.state != acquisition_state::idle);
    deadlines_.clear(who);
    if (who.state == acquisition_state::waiting) {
        record_wait(who, queue_outcome::abandoned, now);
        dequeue(who);
        refresh(*who.slots);
    } else {
        if (who.state == acquisition_state::opening)
            record_open(who, connect_outcome::failed, to_ms(now - who.since));
        give_back(who);
    }
    who.state = acquisition_state::idle;
    who.slots = nullptr;
    dispatch(now);
}

void admission::dispatch(time_ns now) {
    if (dispatching_) return;  // The loop below, which called us, goes on with what is free now.
    dispatching_ = true;
    while (acquisition* who = longest_admissible()) {
        record_wait(*who, queue_outcome::ok, now);
        dequeue(*who);
        take(*who);
        owner_.granted(*who, now);
    }
    dispatching_ = false;
}

}  // namespace gym::telemetry::http
