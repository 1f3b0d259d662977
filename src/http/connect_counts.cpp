// SPDX-License-Identifier: Apache-2.0
#include "http/connect_counts.hpp"

#include <gym/telemetry/detail/control.hpp>
#include <gym/telemetry/observable.hpp>

#include <pthread.h>

namespace gym::telemetry::http {

namespace {

using telemetry::detail::recording;

void register_callback() noexcept {
    register_http_connection_pool_connect_counter([] { return process_counts().snapshot(); });
}

}  // namespace

bool connect_counts::is_current() const {
    return recording() == generation_;
}

// Registers first: in a forked child that is what begins its generation. Outside the lock: the
// registry has one of its own. Until the counts are those of the new generation, its callback hands
// over nothing.
void connect_counts::attach() noexcept {
    {
        const std::lock_guard guard(lock_);
        if (recording() == 0 || is_current()) return;
    }
    register_callback();
    const std::lock_guard guard(lock_);
    if (recording() == 0 || is_current()) return;
    counts_.clear();
    generation_ = recording();
}

void connect_counts::add(std::string_view destination) {
    if (recording() == 0) return;
    std::unique_lock guard(lock_);
    if (!is_current()) {
        guard.unlock();
        attach();
        guard.lock();
    }
    auto found = counts_.find(destination);
    if (found == counts_.end()) {
        const bool full = counts_.size() >= connect_destinations_max;
        found = counts_.try_emplace(std::string(full ? other_destinations : destination)).first;
    }
    ++found->second;
}

std::vector<std::pair<std::string, std::int64_t>> connect_counts::snapshot() const {
    const std::uint64_t generation = recording();
    const std::lock_guard guard(lock_);
    // A last collection may run when recording has stopped already: the counts are still its own.
    if (generation != 0 && generation != generation_) return {};
    return {counts_.begin(), counts_.end()};
}

connect_counts& process_counts() noexcept {
    static auto& counts = []() -> connect_counts& {
        auto* made = new connect_counts;
        pthread_atfork([] { process_counts().before_fork(); },
                       [] { process_counts().after_fork(); },
                       [] { process_counts().after_fork(); });
        return *made;
    }();
    return counts;
}

}  // namespace gym::telemetry::http
