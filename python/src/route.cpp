// SPDX-License-Identifier: Apache-2.0
#include "route.hpp"

#include <string_view>

namespace gym::telemetry::python {

route current_route = route::engine;

namespace {

PyObject* foreign_recorder = nullptr;

}  // namespace

PyObject* record_on_route(const signature& of, PyObject* const* args) {
    if (current_route == route::nowhere || foreign_recorder == nullptr) Py_RETURN_NONE;
    const owned arguments(PyTuple_New(static_cast<Py_ssize_t>(of.count)));
    const owned name(PyUnicode_FromString(of.function));
    if (!arguments || !name) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    for (std::size_t i = 0; i < of.count; ++i) {
        PyObject* value = args[i] == nullptr ? Py_None : args[i];
        PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), Py_NewRef(value));
    }
    const owned recorder(Py_NewRef(foreign_recorder));  // the call may change the route
    const owned result(
        PyObject_CallFunctionObjArgs(recorder.get(), name.get(), arguments.get(), nullptr));
    if (!result) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) return nullptr;
        PyErr_Clear();
    }
    Py_RETURN_NONE;
}

PyObject* set_route(PyObject*, PyObject* arguments) {
    const char* name = nullptr;
    PyObject* recorder = Py_None;
    if (!PyArg_ParseTuple(arguments, "s|O", &name, &recorder)) return nullptr;
    const std::string_view wanted = name;
    if (wanted == "engine")
        current_route = route::engine;
    else if (wanted == "foreign")
        current_route = route::foreign;
    else if (wanted == "nowhere")
        current_route = route::nowhere;
    else
        return PyErr_Format(PyExc_ValueError, "no such route: %s", name);
    owned before(foreign_recorder);
    foreign_recorder = recorder == Py_None ? nullptr : Py_NewRef(recorder);
    Py_RETURN_NONE;
}

}  // namespace gym::telemetry::python
