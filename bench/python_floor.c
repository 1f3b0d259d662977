/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call of a C function with keywords costs by itself: the floor of the recorders, measured
 * in the same run by python_bench.py. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject* nothing(PyObject* self, PyObject* const* args, Py_ssize_t given,
                         PyObject* keywords) {
    (void)self, (void)args, (void)given, (void)keywords;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"nothing", (PyCFunction)(void*)nothing, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "python_floor", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_python_floor(void) {
    return PyModule_Create(&definition);
}
