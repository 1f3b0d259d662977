// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <cmath>

namespace gym::telemetry::python {

namespace {

// Bytes of a str with lone surrogates: those that stand for bytes that were no UTF-8
// (surrogateescape) become these bytes again, others their three bytes. The engine replaces both.
owned bytes_of_surrogates(PyObject* from) {
    owned bytes(PyUnicode_AsEncodedString(from, "utf-8", "surrogateescape"));
    if (bytes) return bytes;
    PyErr_Clear();
    return owned(PyUnicode_AsEncodedString(from, "utf-8", "surrogatepass"));
}

}  // namespace

void text::read(PyObject* from) {
    if (!PyUnicode_Check(from)) {
        if (PyBytes_Check(from)) {
            view_ = {PyBytes_AS_STRING(from), static_cast<std::size_t>(PyBytes_GET_SIZE(from))};
            return;
        }
        kept_ = owned(PyObject_Str(from));
        if (!kept_) {
            PyErr_Clear();
            return;
        }
        from = kept_.get();
    }
    Py_ssize_t size = 0;
    if (const char* data = PyUnicode_AsUTF8AndSize(from, &size)) {
        view_ = {data, static_cast<std::size_t>(size)};
        return;
    }
    PyErr_Clear();
    owned bytes = bytes_of_surrogates(from);
    if (!bytes) {
        PyErr_Clear();
        return;
    }
    view_ = {PyBytes_AS_STRING(bytes.get()),
             static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
    kept_ = std::move(bytes);
}

double read_double(PyObject* from) {
    const double value = PyFloat_AsDouble(from);
    if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (!too_large || !PyLong_Check(from)) return std::numeric_limits<double>::quiet_NaN();
    int sign = 0;
    static_cast<void>(PyLong_AsLongLongAndOverflow(from, &sign));
    PyErr_Clear();
    return sign < 0 ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::infinity();
}

integer read_integer(PyObject* from) {
    if (PyFloat_Check(from)) {
        const double value = PyFloat_AS_DOUBLE(from);
        if (!(value == std::trunc(value)) || std::isinf(value))
            return {0, no_integer::not_a_number};
        // 2^63 is a double, and the first that does not fit.
        if (value >= 0x1p63 || value < -0x1p63) return {0, no_integer::overflow};
        return {static_cast<std::int64_t>(value)};
    }
    const owned index(PyNumber_Index(from));
    if (!index) {
        PyErr_Clear();
        return {0, no_integer::not_a_number};
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow != 0) return {0, no_integer::overflow};
    return {value};
}

}  // namespace gym::telemetry::python
