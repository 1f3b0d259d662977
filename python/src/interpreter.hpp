// SPDX-License-Identifier: Apache-2.0
//
// Threads that are not Python's own (the export thread) and the end of the interpreter. After
// `close` none of them enters it again, so that its end can neither hang nor crash.
#pragma once

#include "python.hpp"

#include <functional>
#include <string_view>

namespace gym::telemetry::python {

// Runs `body` with the interpreter lock; false, without running it, when the interpreter ends. What
// `body` throws comes through. Any thread, one without the lock as a rule.
bool with_interpreter(const std::function<void()>& body);

// Gives a reference back at the next opportunity, on a thread of Python's. Any thread.
void release_later(PyObject* object) noexcept;

// Takes a complaint from any thread and hands it to Python's logging later, on its main thread: the
// export thread never waits for the interpreter lock to complain.
void complain_later(std::string_view cause, std::string_view message) noexcept;

// For the package, with the interpreter lock.
PyObject* set_complaint_handler(PyObject* module, PyObject* callable);
PyObject* deliver_complaints(PyObject* module, PyObject* none);
// No thread enters the interpreter from now on; waits a second at most for those inside.
PyObject* close(PyObject* module, PyObject* none);
// Once, at import: a child does not inherit a lock that another thread held.
void install_fork_handlers() noexcept;

}  // namespace gym::telemetry::python
