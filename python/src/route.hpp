// SPDX-License-Identifier: Apache-2.0
//
// Where records go: the handle in force decides. All of it with the interpreter lock held.
#pragma once

#include "python.hpp"
#include "signature.hpp"

#include <cstdint>

namespace gym::telemetry::python {

enum class route : std::uint8_t {
    engine,   // the library's own handle, or none at all
    foreign,  // a handle whose meter is somebody else's
    nowhere,  // somebody said that there is no handle, whatever the library has
};

extern route current_route;

// What a recorder does when the route is not the engine: nothing, or the foreign recorder with the
// function's name and its arguments (None where a default applies). Null with an exception set only
// for what is no Exception, such as KeyboardInterrupt.
[[gnu::cold, gnu::noinline]] PyObject* record_on_route(const signature& of, PyObject* const* args);

// set_route(name, recorder): for the package. `recorder(function, arguments)` takes foreign
// records.
PyObject* set_route(PyObject* module, PyObject* arguments);

}  // namespace gym::telemetry::python
