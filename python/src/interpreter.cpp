// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <gym/telemetry/diagnostics.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace gym::telemetry::python {

namespace {

// Complaints that wait; more are dropped. The library limits them to one a minute and cause.
constexpr std::size_t complaints_max = 256;

// Never destroyed: other threads may use it while the process ends.
struct shared {
    std::mutex mutex;
    std::condition_variable left;
    int inside = 0;  // threads of ours in the interpreter
    bool closed = false;
    std::deque<std::pair<std::string, std::string>> complaints;
    std::vector<PyObject*> to_release;
};

shared& state() noexcept {
    alignas(shared) static std::byte room[sizeof(shared)];
    static auto* const made = new (room) shared;
    return *made;
}

PyObject* complaint_handler = nullptr;

void hand_over(const std::string& cause, const std::string& message) {
    const owned result(complaint_handler == nullptr
                           ? nullptr
                           : PyObject_CallFunction(complaint_handler, "s#s#", cause.data(),
                                                   static_cast<Py_ssize_t>(cause.size()),
                                                   message.data(),
                                                   static_cast<Py_ssize_t>(message.size())));
    if (!result) PyErr_Clear();
}

// With the interpreter lock, which may change hands inside; `state().mutex` is not held then.
int deliver(void*) {
    for (;;) {
        std::vector<PyObject*> released;
        std::pair<std::string, std::string> complaint;
        bool complains = false;
        {
            const std::lock_guard lock(state().mutex);
            released.swap(state().to_release);
            if (!state().complaints.empty()) {
                complains = true;
                complaint = std::move(state().complaints.front());
                state().complaints.pop_front();
            }
        }
        for (PyObject* object : released) Py_DECREF(object);
        if (!complains) return 0;
        hand_over(complaint.first, complaint.second);
    }
}

// Python's main thread delivers, as soon as it runs Python code again. state().mutex is held.
void ask_for_delivery() noexcept {
    if (!state().closed) Py_AddPendingCall(deliver, nullptr);
}

bool enter() {
    const std::lock_guard lock(state().mutex);
    if (state().closed) return false;
    ++state().inside;
    return true;
}

void leave() noexcept {
    const std::lock_guard lock(state().mutex);
    --state().inside;
    state().left.notify_all();
}

}  // namespace

void rest_for_ever() noexcept {
    for (;;) pause();
}

bool with_interpreter(const std::function<void()>& body) {
    if (!enter()) return false;
    try {
        const PyGILState_STATE lock = PyGILState_Ensure();
        try {
            body();
        } catch (const std::exception&) {
            PyGILState_Release(lock);
            throw;
        }
        PyGILState_Release(lock);
    } catch (const std::exception&) {
        leave();
        throw;
    } catch (abi::__forced_unwind&) {
        // The interpreter ended while Python code on this thread, which is not Python's own, waited
        // for its lock: CPython ends such a thread by pthread_exit (up to 3.13), which would
        // unwind through functions that must not throw, and abort. It rests instead, as in 3.14.
        rest_for_ever();
    }
    leave();
    return true;
}

void release_later(PyObject* object) noexcept {
    try {
        const std::lock_guard lock(state().mutex);
        if (state().closed) return;  // the interpreter's memory goes with the process
        state().to_release.push_back(object);
        ask_for_delivery();
    } catch (const std::bad_alloc&) {  // the object stays
    }
}

void complain_later(std::string_view cause, std::string_view message) noexcept {
    try {
        const std::lock_guard lock(state().mutex);
        if (state().complaints.size() >= complaints_max) return;
        state().complaints.emplace_back(cause, message);
        ask_for_delivery();
    } catch (const std::bad_alloc&) {  // nobody can be told
    }
}

PyObject* set_complaint_handler(PyObject*, PyObject* callable) {
    owned before(
        std::exchange(complaint_handler, callable == Py_None ? nullptr : Py_NewRef(callable)));
    const diagnostics_handler handler = [](const diagnostic& what, void*) {
        complain_later(what.cause, what.message);
    };
    gym::telemetry::set_diagnostics_handler(callable == Py_None ? nullptr : handler);
    Py_RETURN_NONE;
}

PyObject* deliver_complaints(PyObject*, PyObject*) {
    deliver(nullptr);
    Py_RETURN_NONE;
}

PyObject* close(PyObject*, PyObject*) {
    {
        const unlocked waits;
        std::unique_lock lock(state().mutex);
        state().closed = true;
        state().left.wait_for(lock, std::chrono::seconds(1), [] { return state().inside == 0; });
    }
    deliver(nullptr);
    Py_RETURN_NONE;
}

void install_fork_handlers() noexcept {
    pthread_atfork([] { state().mutex.lock(); }, [] { state().mutex.unlock(); },
                   [] {
                       // The threads that were inside do not exist here.
                       state().inside = 0;
                       new (&state().left) std::condition_variable;
                       state().mutex.unlock();
                   });
}

}  // namespace gym::telemetry::python
