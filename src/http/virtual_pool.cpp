// SPDX-License-Identifier: Apache-2.0
#include "http/virtual_pool.hpp"

#include <gym/telemetry/constants.hpp>

#include <cmath>
#include <stdexcept>

namespace gym::telemetry::http {

namespace {

time_ns from_ms(double ms) {
    return static_cast<time_ns>(std::llround(ms * 1e6));
}

class raising_recorder final : public pool_recorder {
public:
    void asked(std::string_view) override { raise(); }
    void queued(double, std::string_view, std::string_view, std::string_view) override { raise(); }
    void connected(double, std::string_view, std::string_view) override { raise(); }

private:
    [[noreturn]] static void raise() { throw std::runtime_error("the recorder raises"); }
};

std::string_view raising_introspection(const occupancy&) {
    throw std::runtime_error("the introspection raises");
}

bool is_open(acquisition_state state) {
    return state == acquisition_state::held;
}

}  // namespace

virtual_pool::virtual_pool(virtual_pool_options options) : options_(std::move(options)) {
    if (options_.ambient_server) ambient_.emplace(*options_.ambient_server);
    if (options_.recorder_raises) raising_ = std::make_unique<raising_recorder>();
    make_pool();
}

virtual_pool::~virtual_pool() {
    close_pool();
}

void virtual_pool::make_pool() {
    pool_recorder* recorder = nullptr;
    if (options_.metrics_enabled) {
        recorder = raising_ ? raising_.get() : recorder_by_gate();
    }
    admission_ = std::make_unique<admission>(
        static_cast<admission_owner&>(*this), options_.limits, recorder,
        options_.introspection_raises ? &raising_introspection : &binding_constraint);
}

void virtual_pool::close_pool() {
    // Waiters first, from the last: nobody is to be served by a pool that closes.
    for (auto who = callers_.rbegin(); who != callers_.rend(); ++who)
        if (who->slot.state == acquisition_state::waiting) admission_->release(who->slot, now_);
    for (caller& who : callers_)
        if (who.slot.state != acquisition_state::idle) hand_back(who, false);
    callers_.clear();
    idle_.clear();
}

void virtual_pool::replace_connector() {
    close_pool();
    make_pool();
}

// The first acquisition of this id that is in use: one that holds an open connection, or one that
// does not have it yet.
virtual_pool::caller* virtual_pool::find(std::int64_t id, bool holding) {
    for (caller& who : callers_) {
        if (who.how.id == id && who.slot.state != acquisition_state::idle &&
            is_open(who.slot.state) == holding)
            return &who;
    }
    return nullptr;
}

void virtual_pool::acquire(const virtual_acquire& how) {
    std::erase_if(callers_,
                  [](const caller& who) { return who.slot.state == acquisition_state::idle; });
    caller& who = callers_.emplace_back();
    who.how = how;
    who.slot.owner = &who;
    who.slot.host = how.host;
    if (how.timeout_ms) who.slot.deadline = now_ + from_ms(*how.timeout_ms);
    ask(who);
    step_to(now_);
}

void virtual_pool::ask(caller& who) {
    // The logical request sets its own name, or none, and never takes the ambient one.
    const std::string name = who.how.server.value_or("");
    const destination_scope scope(name);
    who.destination = current_destination();
    who.slot.destination = who.destination;
    if (admission_->acquire(who.slot, now_)) connect(who);
}

void virtual_pool::connect(caller& who) {
    std::int64_t& idle = idle_[who.slot.host];
    if (idle > 0) {
        --idle;
        admission_->reused(who.slot);
        acquired_.insert(who.how.id);
        return;
    }
    admission_->begin_open(who.slot, now_);
    if (who.how.connect_ms <= 0) {
        finish_open(who);
        return;
    }
    who.opens_at = now_ + from_ms(who.how.connect_ms);
    who.opening = ++opening_count_;
    openings_.emplace(std::pair(who.opens_at, who.opening), &who);
}

void virtual_pool::finish_open(caller& who) {
    forget_opening(who);
    if (who.how.connect_fails) {
        admission_->release(who.slot, now_);
    } else {
        admission_->opened(who.slot, now_);
        acquired_.insert(who.how.id);
    }
}

void virtual_pool::forget_opening(caller& who) {
    openings_.erase({who.opens_at, who.opening});
    who.opens_at = never;
}

void virtual_pool::granted(acquisition& slot, time_ns) {
    connect(*static_cast<caller*>(slot.owner));
}

void virtual_pool::hand_back(caller& who, bool alive) {
    if (alive && is_open(who.slot.state)) ++idle_[who.slot.host];
    forget_opening(who);
    admission_->release(who.slot, now_);
}

void virtual_pool::release(std::int64_t id, bool alive) {
    if (caller* who = find(id, true)) hand_back(*who, alive);
    step_to(now_);
}

void virtual_pool::cancel(std::int64_t id) {
    if (caller* who = find(id, false)) hand_back(*who, false);
    step_to(now_);
}

void virtual_pool::redirect(std::int64_t id, const std::optional<std::string>& host) {
    if (caller* who = find(id, true)) {
        hand_back(*who, true);
        // The answer came over an open connection; what was said of opening the first one is past.
        who->how.connect_fails = false;
        who->how.connect_ms = 0;
        who->slot.deadline = never;
        if (host) who->slot.host = *host;
        ask(*who);
    }
    step_to(now_);
}

void virtual_pool::spurious_wakeup(std::int64_t id) {
    // A waiter is woken by being granted a slot and by nothing else, so there is nothing to undo:
    // the wait goes on since it began. What is due now still happens.
    if (find(id, false) != nullptr) step_to(now_);
}

void virtual_pool::advance_ms(double ms) {
    step_to(now_ + from_ms(ms));
}

void virtual_pool::step_to(time_ns until) {
    for (;;) {
        const time_ns opens = openings_.empty() ? never : openings_.begin()->first.first;
        const time_ns expires = admission_->next_deadline();
        const time_ns next = opens <= expires ? opens : expires;
        if (next > until || next == never) break;
        now_ = next > now_ ? next : now_;
        if (opens <= expires) {
            finish_open(*openings_.begin()->second);
        } else {
            hand_back(*static_cast<caller*>(admission_->pop_expired(now_)->owner), false);
        }
    }
    now_ = until;
}

}  // namespace gym::telemetry::http
