// SPDX-License-Identifier: Apache-2.0
//
// Binding the arguments of a vectorcall to parameters, as Python itself does: the same calls are
// accepted, and the others raise the same TypeErrors.
#pragma once

#include "python.hpp"

#include <array>
#include <cstddef>

namespace gym::telemetry::python {

// One function's parameters. `names` are interned once at import, so that the names in a call,
// which the compiler interned, are told by their addresses.
struct signature {
    static constexpr std::size_t parameters_max = 6;

    const char* function;
    std::size_t count;       // parameters
    std::size_t positional;  // of them, those that may be given by position
    std::size_t required;    // the first so many have no default
    std::array<const char*, parameters_max> spelled;
    std::array<PyObject*, parameters_max> names{};

    // False with an exception set.
    bool intern();
};

using bound_arguments = std::array<PyObject*, signature::parameters_max>;

// The arguments in the order of the parameters, borrowed, null where a default applies; null with a
// TypeError set when the call does not fit. Any order, defaults, names made at run time.
PyObject* const* bind(const signature& to, PyObject* const* args, Py_ssize_t given,
                      PyObject* keywords, bound_arguments& room);

// Whether the caller's own array is the arguments in the order of the parameters: none is left out,
// and those given by name come in order, told by their addresses. Nearly every call is of this
// form.
template <std::size_t Count, std::size_t Positional>
inline bool is_in_order(const signature& to, Py_ssize_t given, PyObject* keywords) {
    const auto positional = static_cast<std::size_t>(given);
    if (keywords == nullptr) return positional == Count && Count <= Positional;
    const auto named = static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
    if (positional + named != Count || positional > Positional) return false;
    for (std::size_t i = 0; i < named; ++i)
        if (PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(i)) != to.names[positional + i])
            return false;
    return true;
}

}  // namespace gym::telemetry::python
