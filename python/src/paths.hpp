// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

#include <string>
#include <vector>

namespace gym::telemetry::python {

// The bytes of each path of a sequence, as the file system has them. False with an exception set.
inline bool read_paths(PyObject* from, std::vector<std::string>& to) {
    const owned list(PySequence_Fast(from, "a sequence of paths"));
    if (!list) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
        PyObject* path = nullptr;
        if (PyUnicode_FSConverter(PySequence_Fast_GET_ITEM(list.get(), i), &path) == 0)
            return false;
        const owned bytes(path);
        to.emplace_back(PyBytes_AS_STRING(path), static_cast<std::size_t>(PyBytes_GET_SIZE(path)));
    }
    return true;
}

}  // namespace gym::telemetry::python
