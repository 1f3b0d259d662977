// SPDX-License-Identifier: Apache-2.0
#include "signature.hpp"

#include <string>

namespace gym::telemetry::python {

namespace {

// The parameter of that name; count when there is none.
std::size_t find(const signature& in, PyObject* name) {
    for (std::size_t i = 0; i < in.count; ++i)
        if (in.names[i] == name) return i;
    for (std::size_t i = 0; i < in.count; ++i)
        if (PyUnicode_Compare(in.names[i], name) == 0) return i;
    return in.count;
}

PyObject* const* too_many(const signature& to, Py_ssize_t given) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zu positional argument%s but %zd %s given",
                 to.function, to.positional, to.positional == 1 ? "" : "s", given,
                 given == 1 ? "was" : "were");
    return nullptr;
}

PyObject* const* missing(const signature& to, const bound_arguments& room) {
    std::string names;
    std::size_t count = 0;
    for (std::size_t i = 0; i < to.required; ++i) {
        if (room[i] != nullptr) continue;
        names += (count++ == 0 ? "'" : ", '") + std::string(to.spelled[i]) + "'";
    }
    PyErr_Format(PyExc_TypeError, "%s() missing %zu required argument%s: %s", to.function, count,
                 count == 1 ? "" : "s", names.c_str());
    return nullptr;
}

}  // namespace

bool signature::intern() {
    for (std::size_t i = 0; i < count; ++i) {
        if (names[i] == nullptr) names[i] = PyUnicode_InternFromString(spelled[i]);
        if (names[i] == nullptr) return false;
    }
    return true;
}

PyObject* const* bind(const signature& to, PyObject* const* args, Py_ssize_t given,
                      PyObject* keywords, bound_arguments& room) {
    if (static_cast<std::size_t>(given) > to.positional) return too_many(to, given);
    room.fill(nullptr);
    for (Py_ssize_t i = 0; i < given; ++i) room[static_cast<std::size_t>(i)] = args[i];
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GET_ITEM(keywords, i);
        const std::size_t at = find(to, name);
        if (at == to.count) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
                         to.function, name);
            return nullptr;
        }
        if (room[at] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", to.function,
                         name);
            return nullptr;
        }
        room[at] = args[given + i];
    }
    for (std::size_t i = 0; i < to.required; ++i)
        if (room[i] == nullptr) return missing(to, room);
    return room.data();
}

}  // namespace gym::telemetry::python
