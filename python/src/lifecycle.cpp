// SPDX-License-Identifier: Apache-2.0
#include "lifecycle.hpp"

#include "base/environment.hpp"
#include "handle/block.hpp"
#include "handle/child_environment.hpp"
#include "handle/configuration.hpp"
#include "handle/setting_table.hpp"
#include "handle/setting_value.hpp"
#include "handle/testing.hpp"
#include "interpreter.hpp"
#include "points.hpp"
#include "values.hpp"

#include <gym/telemetry/lifecycle.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry::python {

namespace {

namespace internal = gym::telemetry::detail;
using entry_list = std::vector<std::pair<std::string, std::string>>;

// A sequence of pairs of str; false with an exception set.
bool read_entries(PyObject* from, entry_list& to) {
    const owned pairs(PySequence_Fast(from, "a sequence of pairs"));
    if (!pairs) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(pairs.get()); ++i) {
        const char* key = nullptr;
        const char* value = nullptr;
        Py_ssize_t key_size = 0, value_size = 0;
        if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(pairs.get(), i), "s#s#", &key, &key_size,
                              &value, &value_size))
            return false;
        to.emplace_back(std::string(key, static_cast<std::size_t>(key_size)),
                        std::string(value, static_cast<std::size_t>(value_size)));
    }
    return true;
}

PyObject* dict_of(const entry_list& entries) {
    owned dict(PyDict_New());
    if (!dict) return nullptr;
    for (const auto& [key, value] : entries) {
        const owned text = str_of(value);
        if (!text || PyDict_SetItemString(dict.get(), key.c_str(), text.get()) != 0) return nullptr;
    }
    return dict.release();
}

// (entries, ignore_environment, memory_readers, delta, resource): see gym_telemetry.lifecycle.
std::optional<options> read_options(PyObject* arguments) {
    PyObject* entries = nullptr;
    PyObject* resource = nullptr;
    int ignore_environment = 0, readers = 1, delta = 0;
    if (!PyArg_ParseTuple(arguments, "OpipO", &entries, &ignore_environment, &readers, &delta,
                          &resource))
        return std::nullopt;
    entry_list block, attributes;
    if (!read_entries(entries, block) || !read_entries(resource, attributes)) return std::nullopt;
    auto parsed = internal::options_from_entries(block);
    if (!parsed) {
        PyErr_SetString(PyExc_ValueError, parsed.failure().text.c_str());
        return std::nullopt;
    }
    options result = *std::move(parsed);
    result.ignore_environment = ignore_environment != 0;
    result.memory_readers = readers;
    result.memory_temporality = delta != 0 ? temporality::delta : temporality::cumulative;
    result.resource_attributes = std::move(attributes);
    return result;
}

// Nothing of C++ may leave through Python's frames.
template <class Body>
PyObject* guarded(Body body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::exception& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
        return nullptr;
    }
}

PyObject* init(PyObject*, PyObject* arguments) {
    return guarded([&]() -> PyObject* {
        const auto block = read_options(arguments);
        if (!block) return nullptr;
        {
            const unlocked waits;
            gym::telemetry::init(*block);
        }
        return PyBool_FromLong(is_exporting());
    });
}

PyObject* environment_of(PyObject*, PyObject* arguments) {
    return guarded([&]() -> PyObject* {
        const auto block = read_options(arguments);
        if (!block) return nullptr;
        entry_list variables;
        {
            const unlocked waits;
            const auto environment = internal::environment::of_process();
            variables = internal::child_environment_of(
                internal::resolve_settings(*block, environment), environment);
        }
        return dict_of(variables);
    });
}

PyObject* shutdown(PyObject*, PyObject* arguments) {
    long long timeout_ms = -1;
    if (!PyArg_ParseTuple(arguments, "|L", &timeout_ms)) return nullptr;
    bool sent = false;
    {
        const unlocked waits;
        sent = gym::telemetry::shutdown(std::chrono::milliseconds(timeout_ms));
    }
    return PyBool_FromLong(sent);
}

PyObject* flush(PyObject*, PyObject* arguments) {
    long long timeout_ms = 5000;
    if (!PyArg_ParseTuple(arguments, "|L", &timeout_ms)) return nullptr;
    bool sent = false;
    {
        const unlocked waits;
        sent = gym::telemetry::flush(std::chrono::milliseconds(timeout_ms));
    }
    return PyBool_FromLong(sent);
}

PyObject* collect(PyObject*, PyObject* arguments) {
    int reader = 0, last = 0;
    if (!PyArg_ParseTuple(arguments, "|ip", &reader, &last)) return nullptr;
    return guarded([&] {
        collection points;
        {
            const unlocked waits;
            points =
                last != 0 ? internal::last_collection(reader) : gym::telemetry::collect(reader);
        }
        return list_of_points(points);
    });
}

PyObject* effective_settings(PyObject*, PyObject*) {
    return guarded([&]() -> PyObject* {
        const settings config = get_telemetry().effective_settings();
        entry_list texts;
        internal::for_each_setting([&](const auto& row) {
            texts.emplace_back(std::string(row.key),
                               internal::text_of_value(config.*row.effective));
        });
        texts.emplace_back("server_name", config.server_name);
        texts.emplace_back("run_id", config.run_id.value_or(""));
        return dict_of(texts);
    });
}

PyObject* child_environment(PyObject*, PyObject*) {
    return guarded([] { return dict_of(gym::telemetry::child_environment()); });
}

PyObject* exporting(PyObject*, PyObject*) {
    return PyBool_FromLong(is_exporting());
}

PyObject* set_gates(PyObject*, PyObject* mask) {
    const unsigned long long gates = PyLong_AsUnsignedLongLongMask(mask);
    if (PyErr_Occurred() != nullptr) return nullptr;
    internal::set_gates_for_tests(gates);
    Py_RETURN_NONE;
}

PyObject* get_gates(PyObject*, PyObject*) {
    return PyLong_FromUnsignedLongLong(internal::gates_for_tests());
}

}  // namespace

PyMethodDef* lifecycle_methods() {
    static PyMethodDef methods[] = {
        {"init", init, METH_VARARGS, nullptr},
        {"environment_of", environment_of, METH_VARARGS, nullptr},
        {"shutdown", shutdown, METH_VARARGS, nullptr},
        {"flush", flush, METH_VARARGS, nullptr},
        {"collect", collect, METH_VARARGS, nullptr},
        {"effective_settings", effective_settings, METH_NOARGS, nullptr},
        {"child_environment", child_environment, METH_NOARGS, nullptr},
        {"is_exporting", exporting, METH_NOARGS, nullptr},
        {"set_gates_for_tests", set_gates, METH_O, nullptr},
        {"gates_for_tests", get_gates, METH_NOARGS, nullptr},
        {"set_complaint_handler", set_complaint_handler, METH_O, nullptr},
        {"deliver_complaints", deliver_complaints, METH_NOARGS, nullptr},
        {"close", close, METH_NOARGS, nullptr},
        {nullptr, nullptr, 0, nullptr}};
    return methods;
}

}  // namespace gym::telemetry::python
