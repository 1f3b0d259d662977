// SPDX-License-Identifier: Apache-2.0
//
// The private module gym_telemetry._replay: rollout files through the recorders, as `gymtel replay`
// plays them, and their health report. It has an engine of its own, since a replay must neither see
// nor touch the telemetry of the process it runs in. One replay at a time; the package sees to
// that.
#include "health_function.hpp"
#include "paths.hpp"
#include "points.hpp"

#include <gym/telemetry/lifecycle.hpp>

#include <exception>
#include <string>
#include <vector>

#include <cli/console.hpp>
#include <cli/replay_files.hpp>
#include <cli/replay_sink.hpp>
#include <unistd.h>

namespace gym::telemetry::python {

void rest_for_ever() noexcept {
    for (;;) pause();
}

namespace {

struct outcome {
    collection points;
    std::uint64_t rows = 0, rejected = 0, files = 0, refused = 0, damaged = 0;
    std::string failure;
};

outcome play(const std::vector<std::string>& paths, bool health) {
    outcome result;
    try {
        init({.enabled = true,
              .span_groups = "all",
              .exporter = "memory",
              .cardinality_limit = 0,
              .ignore_environment = true});
        gymtel::console out;
        gymtel::replay_sink sink(out, health);
        gymtel::replay_files files(sink, out);
        for (const std::string& path : paths) files.add(path);
        files.read_all();
        result.points = collect();
        out.flush_complaints();
        result.rows = sink.rows();
        result.rejected = sink.rejected();
        result.files = files.read();
        result.refused = files.refused();
        result.damaged = files.damaged();
    } catch (const std::exception& e) {
        result.failure = e.what();
    }
    shutdown();
    return result;
}

// replay(paths, health) -> (points, rows, rows_rejected, files, files_refused, files_damaged)
PyObject* replay(PyObject*, PyObject* arguments) {
    PyObject* paths = nullptr;
    int health = 1;
    std::vector<std::string> names;
    if (!PyArg_ParseTuple(arguments, "Op", &paths, &health) || !read_paths(paths, names))
        return nullptr;
    outcome result;
    {
        const unlocked waits;
        result = play(names, health != 0);
    }
    if (!result.failure.empty()) {
        PyErr_SetString(PyExc_RuntimeError, result.failure.c_str());
        return nullptr;
    }
    PyObject* points = list_of_points(result.points);
    if (points == nullptr) return nullptr;
    return Py_BuildValue("(NKKKKK)", points, static_cast<unsigned long long>(result.rows),
                         static_cast<unsigned long long>(result.rejected),
                         static_cast<unsigned long long>(result.files),
                         static_cast<unsigned long long>(result.refused),
                         static_cast<unsigned long long>(result.damaged));
}

PyMethodDef methods[] = {{"replay", replay, METH_VARARGS, nullptr},
                         {"health", health_report_of, METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_replay", nullptr, 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace gym::telemetry::python

PyMODINIT_FUNC PyInit__replay() {
    return PyModuleDef_Init(&gym::telemetry::python::definition);
}
