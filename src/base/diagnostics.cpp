// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"

#include "base/clock.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include <pthread.h>

namespace gym::telemetry {
namespace detail {
namespace {

using complaint = std::pair<std::string, std::string>;  // cause and subject

// Lets the memory be searched by views, so that a complaint that is held back allocates nothing.
struct complaint_less {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
        return std::tuple<std::string_view, std::string_view>(a.first, a.second) <
               std::tuple<std::string_view, std::string_view>(b.first, b.second);
    }
};

struct diagnostics_state {
    std::mutex mutex;
    diagnostics_handler handler = nullptr;
    void* context = nullptr;
    std::map<complaint, std::int64_t, complaint_less> told_at_ns;
};

// Never destroyed, since threads may complain while the process exits.
diagnostics_state& state() {
    static diagnostics_state& instance = []() -> diagnostics_state& {
        auto* made = new diagnostics_state;
        // Without these a child that is forked while another thread complains would hang.
        pthread_atfork([] { state().mutex.lock(); }, [] { state().mutex.unlock(); },
                       [] { state().mutex.unlock(); });
        return *made;
    }();
    return instance;
}

void forget_expired(diagnostics_state& shared, std::int64_t now_ns) {
    std::erase_if(shared.told_at_ns, [now_ns](const auto& told) {
        return now_ns - told.second >= diagnostics_interval_ns;
    });
}

// Whether the complaint is due. Remembers it when it is.
bool take_turn(diagnostics_state& shared, std::string_view cause, std::string_view subject,
               std::int64_t now_ns) {
    const std::pair<std::string_view, std::string_view> key(cause, subject);
    if (auto found = shared.told_at_ns.find(key); found != shared.told_at_ns.end()) {
        if (now_ns - found->second < diagnostics_interval_ns) return false;
        found->second = now_ns;
        return true;
    }
    if (shared.told_at_ns.size() >= diagnostics_remembered_max) forget_expired(shared, now_ns);
    if (shared.told_at_ns.size() >= diagnostics_remembered_max) return false;
    shared.told_at_ns.emplace(complaint(cause, subject), now_ns);
    return true;
}

}  // namespace

void diagnose(std::string_view cause, std::string_view message, std::string_view subject) noexcept {
    // What is thrown here is either the handler's own or a lack of memory. There is nobody to tell:
    // this is where complaints end.
    try {
        diagnostics_state& shared = state();
        diagnostics_handler handler = nullptr;
        void* context = nullptr;
        {
            const std::lock_guard lock(shared.mutex);
            if (shared.handler == nullptr) return;
            if (!take_turn(shared, cause, subject, steady_now_ns())) return;
            handler = shared.handler;
            context = shared.context;
        }
        handler({.cause = cause, .message = message}, context);
    } catch (...) {
        return;
    }
}

void forget_diagnostics() noexcept {
    diagnostics_state& shared = state();
    const std::lock_guard lock(shared.mutex);
    shared.told_at_ns.clear();
}

}  // namespace detail

void set_diagnostics_handler(diagnostics_handler handler, void* context) noexcept {
    detail::diagnostics_state& shared = detail::state();
    const std::lock_guard lock(shared.mutex);
    shared.handler = handler;
    shared.context = context;
    shared.told_at_ns.clear();
}

}  // namespace gym::telemetry
