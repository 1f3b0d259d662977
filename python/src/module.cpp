// SPDX-License-Identifier: Apache-2.0
//
// The private module gym_telemetry._native. Plain C API of CPython: see
// docs/decisions/009-python-plain-c-api.md.
#include "by_name.hpp"
#include "gates.hpp"
#include "interpreter.hpp"
#include "lifecycle.hpp"
#include "recorders.hpp"
#include "route.hpp"

namespace {

using namespace gym::telemetry::python;

PyMethodDef route_methods[] = {{"set_route", set_route, METH_VARARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

int fill(PyObject* module) {
    if (!intern_parameters()) return -1;
    static const bool once = [] {
        install_fork_handlers();
        return true;
    }();
    static_cast<void>(once);
    for (PyMethodDef* methods : {recorder_methods(), lifecycle_methods(), by_name_methods(),
                                 gate_methods(), route_methods})
        if (PyModule_AddFunctions(module, methods) != 0) return -1;
    return PyModule_AddStringConstant(module, "version", GYM_TELEMETRY_VERSION);
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(fill)},
#if PY_VERSION_HEX >= 0x030C0000
    // The engine is one a process, and interned names belong to one interpreter.
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_native",
                          "The engine's recorders and its handle, for the package alone.",
                          0,
                          nullptr,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native() {
    return PyModuleDef_Init(&definition);
}
