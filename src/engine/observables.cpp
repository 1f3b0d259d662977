// SPDX-License-Identifier: Apache-2.0
#include "engine/observables.hpp"

#include <algorithm>
#include <atomic>

namespace gym::telemetry::engine {

namespace {

// Unique in the process: an id of an earlier generation means nothing in a later one.
std::atomic<std::uint64_t> next_id{1};

}  // namespace

std::uint64_t observable_registry::add(instrument_id instrument,
                                       std::shared_ptr<observable> callback) {
    const std::lock_guard lock(mutex_);
    for (const entry& e : entries_)
        if (e.instrument == instrument) return 0;
    const std::uint64_t id = next_id.fetch_add(1, std::memory_order_relaxed);
    entries_.push_back({id, instrument, std::move(callback)});
    return id;
}

bool observable_registry::remove(std::uint64_t id) {
    std::shared_ptr<observable> last;  // destroyed outside the lock: it may be the user's code
    std::unique_lock lock(mutex_);
    const auto at = std::ranges::find(entries_, id, &entry::id);
    if (at == entries_.end()) return false;
    last = std::move(at->callback);
    entries_.erase(at);
    const auto here = std::this_thread::get_id();
    const bool inside = std::ranges::any_of(
        running_, [&](const running& r) { return r.id == id && r.thread == here; });
    if (!inside)
        ended_.wait(
            lock, [&] { return std::ranges::find(running_, id, &running::id) == running_.end(); });
    lock.unlock();
    return true;
}

std::vector<observable_registry::entry> observable_registry::entries() {
    const std::lock_guard lock(mutex_);
    return entries_;
}

void observable_registry::call(const entry& which, observer& to) {
    const auto here = std::this_thread::get_id();
    {
        const std::lock_guard lock(mutex_);
        if (std::ranges::find(entries_, which.id, &entry::id) == entries_.end()) return;
        running_.push_back({which.id, here});
    }
    struct ending {
        observable_registry& registry;
        std::uint64_t id;
        std::thread::id thread;
        ~ending() {
            const std::lock_guard lock(registry.mutex_);
            const auto at = std::ranges::find_if(registry.running_, [&](const running& r) {
                return r.id == id && r.thread == thread;
            });
            registry.running_.erase(at);
            registry.ended_.notify_all();
        }
    } const end{*this, which.id, here};
    which.callback->call(to);
}

}  // namespace gym::telemetry::engine
