// SPDX-License-Identifier: Apache-2.0
//
// From Python objects to what the engine takes. Nothing here lets an exception out: a value that
// cannot be read is told as such, and the record is dropped.
#pragma once

#include "python.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace gym::telemetry::python {

// A text's bytes when they lie at hand: false for anything but a str of ASCII characters.
inline bool is_plain_text(PyObject* from, std::string_view& to) {
    if (!PyUnicode_Check(from) || !PyUnicode_IS_COMPACT_ASCII(from)) return false;
    to = {static_cast<const char*>(PyUnicode_DATA(from)),
          static_cast<std::size_t>(PyUnicode_GET_LENGTH(from))};
    return true;
}

// Text, for as long as this object lives and the Python object does not change.
class text {
public:
    explicit text(PyObject* from) {
        if (!is_plain_text(from, view_)) read(from);
    }
    // Absent and None are the empty text, which is how an optional attribute is left out.
    static text optional(PyObject* from) {
        return from == nullptr || from == Py_None ? text() : text(from);
    }

    std::string_view view() const noexcept { return view_; }
    // Whether it could be read: str() of an object may raise.
    explicit operator bool() const noexcept { return view_.data() != nullptr; }

private:
    text() : view_("") {}
    [[gnu::cold]] void read(PyObject* from);

    std::string_view view_;
    owned kept_;
};

[[gnu::cold]] double read_double(PyObject* from);

// A double by the number protocol. NaN for what is no number; an integer beyond the range of double
// is infinite with its sign.
inline double to_double(PyObject* from) {
    if (PyFloat_CheckExact(from)) [[likely]]
        return PyFloat_AS_DOUBLE(from);
    return read_double(from);
}

// Why an integer is none.
enum class no_integer : std::uint8_t { not_a_number, overflow };

struct integer {
    std::int64_t value = 0;
    std::optional<no_integer> failure{};
};

[[gnu::cold]] integer read_integer(PyObject* from);

// An int64 by the index protocol, or of a float with an integral value.
inline integer to_integer(PyObject* from) {
#if PY_VERSION_HEX >= 0x030C0000
    if (PyLong_CheckExact(from) && PyUnstable_Long_IsCompact(reinterpret_cast<PyLongObject*>(from)))
        [[likely]]
        return {PyUnstable_Long_CompactValue(reinterpret_cast<PyLongObject*>(from))};
#endif
    return read_integer(from);
}

// Whether an object is true; false when asking it raises.
inline bool to_bool(PyObject* from) {
    if (from == Py_True) return true;
    if (from == Py_False || from == nullptr) return false;
    const int truth = PyObject_IsTrue(from);
    if (truth < 0) PyErr_Clear();
    return truth > 0;
}

}  // namespace gym::telemetry::python
