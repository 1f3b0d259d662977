// SPDX-License-Identifier: Apache-2.0
#include "handle/handle.hpp"

#include "base/diagnostics.hpp"
#include "base/environment.hpp"
#include "engine/threads.hpp"
#include "handle/child_environment.hpp"
#include "handle/configuration.hpp"
#include "handle/process_end.hpp"
#include "handle/session_started.hpp"
#include "handle/testing.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <pthread.h>

namespace gym::telemetry {

namespace detail {

namespace {

// Only one thread at a time changes what is in force, and it holds no lock while it does: settings
// are complained about and threads are joined then. Others wait, but for a diagnostics handler that
// calls back in: it sees things as they are.
struct handle_state {
    std::mutex mutex;
    std::condition_variable idle;
    bool changing = false;
    std::thread::id changer;
    std::shared_ptr<session> in_force;
    settings config;  // of the session in force, or as the last init resolved them
    destination goes_to = destination::exporters;
    std::vector<collection> last;
};

handle_state& state() noexcept {
    alignas(handle_state) static std::byte room[sizeof(handle_state)];
    static auto* const made = new (room) handle_state;
    return *made;
}

// The right to change what is in force, for one scope. Empty inside another one of this thread.
class change {
public:
    change() {
        handle_state& s = state();
        std::unique_lock lock(s.mutex);
        if (s.changing && s.changer == std::this_thread::get_id()) return;
        s.idle.wait(lock, [&] { return !s.changing; });
        s.changing = true;
        s.changer = std::this_thread::get_id();
        granted_ = true;
    }
    ~change() {
        if (!granted_) return;
        handle_state& s = state();
        const std::lock_guard lock(s.mutex);
        s.changing = false;
        s.idle.notify_all();
    }
    change(const change&) = delete;
    change& operator=(const change&) = delete;
    explicit operator bool() const noexcept { return granted_; }

private:
    bool granted_ = false;
};

void set_in_force(std::shared_ptr<session> next) noexcept {
    handle_state& s = state();
    const std::lock_guard lock(s.mutex);
    s.in_force.swap(next);
}

void start(const options& block, session::parts with, part_maker* maker = nullptr) {
    const change turn;
    if (!turn || current_session() != nullptr) return;
    const settings config = resolve_settings(
        block, block.ignore_environment ? environment() : environment::of_process(),
        with.to == destination::exporters);
    {
        handle_state& s = state();
        const std::lock_guard lock(s.mutex);
        s.config = config;
        s.goes_to = with.to;
    }
    if (!config.telemetry_on) return;
    prepare_process_end(config);
    if (maker != nullptr) with.adopted = maker->make(config);
    std::shared_ptr<session> next = session::start(config, with);
    if (next == nullptr) return;
    set_in_force(next);
    next->put_in_force();
    session_started(config);
}

std::chrono::steady_clock::time_point deadline_in(std::chrono::milliseconds timeout) noexcept {
    // A day is for ever; more could overflow the clock.
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24);
    return std::chrono::steady_clock::now() + std::min(timeout, longest);
}

void stay_off_in_child() noexcept {
    control.gates.store(0, std::memory_order_relaxed);
    engine::end_generation();
}

// A forked child's first record: a session of its own, with the parent's settings.
void resume_in_child() noexcept {
    try {
        const change turn;
        if (!turn || (recording() & ~std::uint64_t{1}) != 0) return;
        settings config;
        session::parts with;
        {
            const std::lock_guard lock(state().mutex);
            config = state().config;
            with.to = state().goes_to;
        }
        std::shared_ptr<session> next = session::start(config, with);
        if (next == nullptr) return stay_off_in_child();
        set_in_force(next);
        next->put_in_force();
    } catch (...) {
        stay_off_in_child();
    }
}

}  // namespace

std::shared_ptr<session> current_session() noexcept {
    const std::lock_guard lock(state().mutex);
    return state().in_force;
}

void install_fork_handlers() noexcept {
    engine::set_resume_hook(resume_in_child);
    pthread_atfork(
        [] {
            state().mutex.lock();
            engine::before_fork();
        },
        [] {
            engine::after_fork_in_parent();
            state().mutex.unlock();
        },
        [] {
            handle_state& s = state();
            const bool was_on = s.in_force != nullptr;
            // The session is left as it is, never destroyed: its locks and thread are not ours.
            if (was_on) s.in_force->abandon_in_child();
            new (&s.in_force) std::shared_ptr<session>();
            new (&s.idle) std::condition_variable();
            s.changing = false;
            // The owner of adopted instruments has not made new ones for this process.
            const bool adopted = s.goes_to == destination::adopted;
            if (adopted) control.gates.store(0, std::memory_order_relaxed);
            engine::after_fork_in_child(was_on && s.config.metrics_enabled && !adopted);
            s.mutex.unlock();
        });
}

telemetry& init_for_tests(const options& block, const test_hooks& hooks) noexcept {
    try {
        start(block, {.constant_hash = hooks.constant_hash});
    } catch (const std::exception& e) {
        diagnose("init.failed", std::string("telemetry stays off: ") + e.what());
    }
    return get_telemetry();
}

telemetry& init_embedded(const options& block, part_maker* maker) noexcept {
    try {
        options meant = block;
        if (!meant.enabled) meant.enabled = true;
        start(meant, {.to = maker == nullptr ? destination::collected : destination::adopted},
              maker);
    } catch (const std::exception& e) {
        diagnose("init.failed", std::string("telemetry stays off: ") + e.what());
    }
    return get_telemetry();
}

collection last_collection(int reader) {
    const std::lock_guard lock(state().mutex);
    const auto at = static_cast<std::size_t>(reader);
    return at < state().last.size() ? state().last[at] : collection{};
}

void set_gates_for_tests(std::uint64_t gates) noexcept {
    control.gates.store(gates, std::memory_order_relaxed);
}
std::uint64_t gates_for_tests() noexcept {
    return control.gates.load(std::memory_order_relaxed);
}

}  // namespace detail

bool telemetry::is_exporting() const noexcept {
    return gym::telemetry::is_exporting();
}

settings telemetry::effective_settings() const {
    const std::lock_guard lock(detail::state().mutex);
    return detail::state().config;
}

telemetry& get_telemetry() noexcept {
    static telemetry handle;
    return handle;
}

telemetry& init(const options& block) noexcept {
    return detail::init_for_tests(block, {});
}

bool is_exporting() noexcept {
    return detail::control.gates.load(std::memory_order_relaxed) != 0 || detail::recording() != 0;
}

bool flush(std::chrono::milliseconds timeout) noexcept {
    const auto session = detail::current_session();
    return session == nullptr || session->flush(detail::deadline_in(timeout));
}

bool shutdown(std::chrono::milliseconds timeout) noexcept {
    const detail::change turn;
    const auto session = turn ? detail::current_session() : nullptr;
    if (session == nullptr) return true;
    if (timeout.count() < 0)
        timeout = std::chrono::milliseconds(session->config().shutdown_timeout_ms);
    const bool sent = session->stop(detail::deadline_in(timeout));
    {
        const std::lock_guard lock(detail::state().mutex);
        detail::state().last = session->last_collections();
    }
    detail::set_in_force(nullptr);
    return sent;
}

collection collect(int reader) {
    const auto session = detail::current_session();
    auto* from = session == nullptr ? nullptr : session->reader(reader);
    return from == nullptr ? collection{} : from->collect();
}

std::vector<std::pair<std::string, std::string>> child_environment() {
    const auto session = detail::current_session();
    if (session == nullptr) return {};
    return detail::child_environment_of(session->config(), detail::environment::of_process());
}

}  // namespace gym::telemetry
