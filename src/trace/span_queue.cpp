// SPDX-License-Identifier: Apache-2.0
#include "trace/span_queue.hpp"

#include "base/diagnostics.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <new>

#include <pthread.h>
#include <unistd.h>

namespace gym::telemetry {
namespace detail {

namespace {

struct span_state {
    std::mutex mutex;
    std::deque<finished_span> waiting;
    std::deque<finished_span> memory;
    std::shared_ptr<span_sink> foreign;
};

// Relaxed: a span that races with init or shutdown may fall on either side.
constinit std::atomic<std::uint8_t> routes_in_force{no_spans};

// Never destroyed: threads may finish spans while the process exits.
span_state& state() {
    static span_state& instance = []() -> span_state& {
        auto* made = new span_state;
        // Without these a child that is forked while another thread finishes a span would hang.
        // The child begins with none of its parent's spans.
        pthread_atfork([] { state().mutex.lock(); }, [] { state().mutex.unlock(); },
                       [] {
                           state().waiting.clear();
                           state().memory.clear();
                           // The sink is left as it is, never destroyed: its locks may be held.
                           new (&state().foreign) std::shared_ptr<span_sink>();
                           routes_in_force.fetch_and(static_cast<std::uint8_t>(~spans_to_foreign),
                                                     std::memory_order_relaxed);
                           state().mutex.unlock();
                       });
        return *made;
    }();
    return instance;
}

constinit std::atomic<std::uint64_t> dropped{0};

void normalize(std::string& text) {
    char buffer[attribute_size_max];
    const std::string_view normal = normalize_text(text, buffer);
    if (normal != text) text.assign(normal);
}

void normalize(finished_span& span) {
    normalize(span.name);
    normalize(span.status_message);
    span.end_ns = std::max(span.end_ns, span.start_ns);
    if (span.attributes.size() > span_attributes_max) span.attributes.resize(span_attributes_max);
    for (auto& [key, value] : span.attributes) {
        normalize(key);
        if (auto* text = std::get_if<std::string>(&value)) normalize(*text);
    }
}

bool push(std::deque<finished_span>& to, finished_span span) {
    if (to.size() >= waiting_spans_max) return false;
    to.push_back(std::move(span));
    return true;
}

// False when a queue that it belongs to is full.
bool put(finished_span span, std::uint8_t routes) {
    span_state& shared = state();
    const std::lock_guard lock(shared.mutex);
    bool kept = true;
    if (routes & spans_to_memory) kept &= push(shared.memory, span);
    if (routes & spans_to_exporters) kept &= push(shared.waiting, std::move(span));
    return kept;
}

void hand_over(const finished_span& span) {
    std::shared_ptr<span_sink> to;
    {
        const std::lock_guard lock(state().mutex);
        to = state().foreign;
    }
    try {
        if (to != nullptr) to->finish(span);
    } catch (...) {  // somebody else's tracer: that span only is lost
    }
}

// The system's generator, not one of our own: a forked child must not repeat its parent's ids.
// False when there is no randomness to be had.
template <std::size_t Size>
bool fill(std::array<std::uint8_t, Size>& bytes) noexcept {
    do {
        if (getentropy(bytes.data(), Size) != 0) return false;
    } while (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; }));
    return true;
}

}  // namespace

void set_span_routes(std::uint8_t routes, std::shared_ptr<span_sink> foreign) noexcept {
    span_state& shared = state();
    if (foreign != nullptr) routes |= spans_to_foreign;
    // The sink of before is destroyed after the lock is let go: it may be the application's.
    const std::lock_guard lock(shared.mutex);
    shared.foreign.swap(foreign);
    routes_in_force.store(routes, std::memory_order_relaxed);
    shared.waiting.clear();
    shared.memory.clear();
}

std::vector<finished_span> take_spans(std::size_t most) {
    span_state& shared = state();
    const std::lock_guard lock(shared.mutex);
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, shared.waiting.size()));
    const auto end = shared.waiting.begin() + count;
    std::vector<finished_span> taken(std::make_move_iterator(shared.waiting.begin()),
                                     std::make_move_iterator(end));
    shared.waiting.erase(shared.waiting.begin(), end);
    return taken;
}

std::uint64_t dropped_spans() noexcept {
    return dropped.load(std::memory_order_relaxed);
}

}  // namespace detail

span_context new_span_context(const span_context& parent) noexcept {
    span_context context;
    if (parent.is_valid()) {
        context.trace = parent.trace;
        context.sampled = parent.sampled;
    } else if (!detail::fill(context.trace.bytes)) {
        return {};  // a context that is not valid is not exported
    }
    if (!detail::fill(context.span.bytes)) return {};
    return context;
}

void finish_span(finished_span span) noexcept {
    const std::uint8_t routes = detail::routes_in_force.load(std::memory_order_relaxed);
    if (routes == detail::no_spans || !span.context.is_valid() || !span.context.sampled) return;
    try {
        detail::normalize(span);
        if (routes & detail::spans_to_foreign) detail::hand_over(span);
        if (routes == detail::spans_to_foreign) return;
        if (detail::put(std::move(span), routes)) return;
    } catch (const std::bad_alloc&) {
        // Counted below like any other span that found no room.
    }
    detail::dropped.fetch_add(1, std::memory_order_relaxed);
    detail::diagnose("trace.dropped",
                     "spans are finished faster than they can be exported; some are dropped");
}

std::vector<finished_span> collect_spans() {
    detail::span_state& shared = detail::state();
    const std::lock_guard lock(shared.mutex);
    std::vector<finished_span> taken(std::make_move_iterator(shared.memory.begin()),
                                     std::make_move_iterator(shared.memory.end()));
    shared.memory.clear();
    return taken;
}

}  // namespace gym::telemetry
