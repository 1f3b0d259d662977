// SPDX-License-Identifier: Apache-2.0
#include "engine/threads.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include <pthread.h>

namespace gym::telemetry::detail {

namespace {

// The table of who has none: all null, and never written. Not const, so that it takes no room in
// the file.
constinit bound_cell no_bindings[max_bindings];
constinit const thread_view no_view{nullptr, no_bindings};

}  // namespace

constinit control_words control;
constinit thread_local const thread_view* this_thread_view
    __attribute__((tls_model("initial-exec"))) = &no_view;

}  // namespace gym::telemetry::detail

namespace gym::telemetry::engine {

void hide_cells(thread_block& block) noexcept {
    block.view.caches.store(nullptr, std::memory_order_relaxed);
    block.view.bound.store(gym::telemetry::detail::no_bindings, std::memory_order_relaxed);
}

namespace {

using gym::telemetry::detail::control;
using gym::telemetry::detail::max_bindings;
using gym::telemetry::detail::this_thread_view;

// A thread's membership in a generation, which it keeps alive.
struct attachment {
    std::shared_ptr<generation> joined;
    thread_block* block;
};

constinit thread_local attachment* this_attachment __attribute__((tls_model("initial-exec"))) =
    nullptr;

// Never destroyed: threads may record while static objects are.
struct process_state {
    std::mutex mutex;
    std::shared_ptr<generation> current;
    // Ids of bindings that ended, and the first that was never taken.
    std::vector<std::size_t> free_bindings;
    std::size_t next_binding = 1;
    std::optional<pthread_key_t> thread_end;  // none: the process has as many keys as there may be
    void (*resume)() noexcept = nullptr;
};

// Sends every record to record_elsewhere, and is no generation's word.
constexpr std::uint64_t to_be_resumed = 1;

void leave(void* member) noexcept {
    // A key's destructor runs after those of all C++ thread_local objects, so what they record is
    // kept. What a later key's destructor records joins again, and is cleaned up again but for the
    // last of the rounds that the system makes: that block is never given back.
    std::unique_ptr<attachment> ended(static_cast<attachment*>(member));
    this_thread_view = &gym::telemetry::detail::no_view;
    this_attachment = nullptr;
    ended->joined->release_block(ended->block);
}

process_state& process() noexcept {
    alignas(process_state) static std::byte room[sizeof(process_state)];
    static process_state* const state = [] {
        auto* made = new (room) process_state;
        pthread_key_t key = 0;
        if (pthread_key_create(&key, [](void* member) { leave(member); }) == 0)
            made->thread_end = key;
        return made;
    }();
    return *state;
}

// Without a key blocks of threads that end are never given back.
bool leave_at_thread_end(attachment* member) noexcept {
    const auto key = process().thread_end;
    return !key || pthread_setspecific(*key, member) == 0;
}

}  // namespace

void begin_generation(std::shared_ptr<generation> next) {
    process_state& state = process();
    std::shared_ptr<generation> last;  // destroyed after the lock is let go
    const std::lock_guard lock(state.mutex);
    last = std::exchange(state.current, std::move(next));
    // Bit 0 sends every record to record_elsewhere.
    const std::uint64_t foreign = state.current->foreign() != nullptr;
    control.record.store(state.current->id() | foreign, std::memory_order_relaxed);
    if (last != nullptr) last->take_back_views();
}

void end_generation() noexcept {
    process_state& state = process();
    std::shared_ptr<generation> last;
    const std::lock_guard lock(state.mutex);
    control.record.store(0, std::memory_order_relaxed);
    last = std::exchange(state.current, nullptr);
    if (last != nullptr) last->take_back_views();
}

std::shared_ptr<generation> current_generation() noexcept {
    process_state& state = process();
    const std::lock_guard lock(state.mutex);
    return state.current;
}

thread_block* attach_this_thread(const generation* wanted) {
    const std::uint64_t in_force = gym::telemetry::detail::recording() & ~std::uint64_t{1};
    if (this_attachment != nullptr && this_attachment->joined->id() == in_force &&
        (wanted == nullptr || wanted == this_attachment->joined.get()))
        return this_attachment->block;
    std::shared_ptr<generation> current = current_generation();
    if (current == nullptr && gym::telemetry::detail::recording() != 0) {
        // Another thread may have resumed in between.
        if (gym::telemetry::detail::recording() == to_be_resumed) process().resume();
        current = current_generation();
    }
    if (current == nullptr || (wanted != nullptr && wanted != current.get())) return nullptr;
    if (this_attachment != nullptr && this_attachment->joined == current)
        return this_attachment->block;

    auto joining = std::make_unique<attachment>();
    if (!leave_at_thread_end(joining.get())) throw std::bad_alloc();
    try {
        joining->block = current->acquire_block();
    } catch (const std::bad_alloc&) {
        leave_at_thread_end(this_attachment);
        throw;
    }
    joining->joined = std::move(current);
    std::unique_ptr<attachment> left(this_attachment);
    this_attachment = joining.release();
    this_thread_view = &this_attachment->block->view;
    if (left != nullptr) left->joined->release_block(left->block);
    return this_attachment->block;
}

void record_elsewhere(instrument_id id, const std::string_view* values, measurement what) noexcept {
    try {
        thread_block* block = attach_this_thread();
        if (block == nullptr) return;
        generation& in_force = *block->owner;
        if (in_force.foreign() != nullptr) return in_force.record_foreign(id, values, what);
        in_force.record_slow(*block, id, values, what);
    } catch (...) {  // out of memory, or a foreign instrument: that record only is lost
    }
}

void drop_record(instrument_id id, std::string_view reason) noexcept {
    try {
        if (thread_block* block = attach_this_thread())
            block->owner->count_dropped(*block, id, reason);
    } catch (const std::bad_alloc&) {  // not even the count of it can be kept
    }
}

std::size_t begin_binding() {
    process_state& state = process();
    const std::lock_guard lock(state.mutex);
    if (!state.free_bindings.empty()) {
        const std::size_t id = state.free_bindings.back();
        state.free_bindings.pop_back();
        return id;
    }
    if (state.next_binding == max_bindings) return 0;
    reserve_for(state.free_bindings, state.next_binding);  // so that an id can always be given back
    return state.next_binding++;
}

void end_binding(std::size_t id) noexcept {
    if (id == 0) return;
    process_state& state = process();
    const std::lock_guard lock(state.mutex);
    if (state.current != nullptr) state.current->unbind(id);
    state.free_bindings.push_back(id);
}

void before_fork() noexcept {
    process().mutex.lock();
}
void after_fork_in_parent() noexcept {
    process().mutex.unlock();
}

void set_resume_hook(void (*hook)() noexcept) noexcept {
    process().resume = hook;
}

void after_fork_in_child(bool resume) noexcept {
    process_state& state = process();
    control.record.store(resume ? to_be_resumed : 0, std::memory_order_relaxed);
    new (&state.current) std::shared_ptr<generation>();  // the parent's is left as it is
    this_thread_view = &gym::telemetry::detail::no_view;
    this_attachment = nullptr;
    leave_at_thread_end(nullptr);
    state.mutex.unlock();
}

}  // namespace gym::telemetry::engine
