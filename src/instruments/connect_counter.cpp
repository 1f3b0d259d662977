// SPDX-License-Identifier: Apache-2.0
//
// gym.http.connection_pool.connect_total: the callback of <gym/telemetry/observable.hpp> as an
// observable of the engine.
#include "engine/threads.hpp"
#include "instruments/catalogue.hpp"

#include <gym/telemetry/observable.hpp>

#include <map>
#include <mutex>
#include <new>

namespace gym::telemetry::detail {

namespace {

constexpr auto instrument = instruments::id_of("gym.http.connection_pool.connect_total");

class connect_observable final : public engine::observable {
public:
    explicit connect_observable(std::shared_ptr<connect_callback> callback)
        : callback_(std::move(callback)) {}

    void call(engine::observer& to) override {
        class sink final : public connect_sink {
        public:
            explicit sink(engine::observer& observer) : to_(observer) {}
            void report(std::string_view server_name, std::int64_t count) override {
                to_.observe(&server_name, count);
            }
            void drop(bool negative) override {
                to_.drop(negative ? engine::drop_reason::negative : engine::drop_reason::overflow);
            }

        private:
            engine::observer& to_;
        } reports(to);
        callback_->call(reports);
    }

private:
    std::shared_ptr<connect_callback> callback_;
};

// Which generation a registration belongs to: it may outlive the generation in force, and then its
// end must still wait for a callback of the old one's last collection. Never destroyed, since
// registrations may be static objects.
struct owners {
    std::mutex mutex;
    std::map<std::uint64_t, std::weak_ptr<engine::generation>> by_id;
};

owners& all_owners() {
    static auto* const made = new owners;
    return *made;
}

// The owner of a foreign instrument asks by itself. One that throws is never asked.
void tell(engine::foreign_sink& sink, const std::shared_ptr<engine::generation>& source) {
    try {
        sink.observe(instrument, instruments::catalogue[instrument],
                     engine::foreign_observable(source, instrument));
    } catch (...) {
    }
}

}  // namespace

std::uint64_t register_connect_callback(std::shared_ptr<connect_callback> callback) noexcept {
    try {
        auto current = engine::current_generation();
        if (current == nullptr) {
            // In a forked child whose first call this is, joining begins its generation.
            engine::attach_this_thread();
            current = engine::current_generation();
        }
        if (current == nullptr) return 0;
        const std::uint64_t id = current->observables().add(
            instrument, std::make_shared<connect_observable>(std::move(callback)));
        if (id == 0) return 0;
        {
            const std::lock_guard lock(all_owners().mutex);
            std::erase_if(all_owners().by_id,
                          [](const auto& each) { return each.second.expired(); });
            all_owners().by_id.emplace(id, current);
        }
        if (engine::foreign_sink* sink = current->foreign()) tell(*sink, current);
        return id;
    } catch (const std::bad_alloc&) {
        return 0;
    }
}

void unregister_connect_callback(std::uint64_t id) noexcept {
    std::shared_ptr<engine::generation> owner;
    {
        const std::lock_guard lock(all_owners().mutex);
        const auto at = all_owners().by_id.find(id);
        if (at == all_owners().by_id.end()) return;
        owner = at->second.lock();
        all_owners().by_id.erase(at);
    }
    if (owner != nullptr) owner->observables().remove(id);
}

}  // namespace gym::telemetry::detail
