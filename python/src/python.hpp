// SPDX-License-Identifier: Apache-2.0
//
// <Python.h>, which must come before any other header, and the few owners that the binding needs.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <utility>

#include <Python.h>
#include <cxxabi.h>

namespace gym::telemetry::python {

// A reference that is given back at the end of its scope. With the interpreter lock held.
class owned {
public:
    owned() = default;
    explicit owned(PyObject* reference) noexcept : object_(reference) {}
    owned(owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    owned& operator=(owned&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~owned() { Py_XDECREF(object_); }

    PyObject* get() const noexcept { return object_; }
    PyObject* release() noexcept { return std::exchange(object_, nullptr); }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    PyObject* object_ = nullptr;
};

// Ends this thread's part in the process without unwinding it: see with_interpreter.
[[noreturn]] void rest_for_ever() noexcept;

// Lets other Python threads run. Around everything that waits for a thread, a socket or a lock.
class unlocked {
public:
    unlocked() noexcept : state_(PyEval_SaveThread()) {}
    ~unlocked() {
        try {
            PyEval_RestoreThread(state_);
        } catch (abi::__forced_unwind&) {  // a daemon thread, and the interpreter has ended
            rest_for_ever();
        }
    }
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;

private:
    PyThreadState* state_;
};

}  // namespace gym::telemetry::python
