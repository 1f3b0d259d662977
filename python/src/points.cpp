// SPDX-License-Identifier: Apache-2.0
#include "points.hpp"

#include <array>
#include <span>
#include <string>
#include <variant>

namespace gym::telemetry::python {

namespace {

constexpr std::array kind_names = {"counter", "up_down_counter", "observable_counter", "gauge",
                                   "histogram"};

bool put(const owned& dict, const char* key, owned value) {
    return value && PyDict_SetItemString(dict.get(), key, value.get()) == 0;
}

owned number(double value) {
    return owned(PyFloat_FromDouble(value));
}
owned number(std::uint64_t value) {
    return owned(PyLong_FromUnsignedLongLong(value));
}

template <class T>
owned list_of(std::span<const T> values) {
    owned list(PyList_New(static_cast<Py_ssize_t>(values.size())));
    for (std::size_t i = 0; list && i < values.size(); ++i) {
        owned item = number(values[i]);
        if (!item) return {};
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), item.release());
    }
    return list;
}

owned attributes_of(const point& from) {
    owned dict(PyDict_New());
    for (const auto& [key, value] : from.attributes) {
        owned object = std::holds_alternative<bool>(value)
                           ? owned(PyBool_FromLong(std::get<bool>(value)))
                           : str_of(std::get<std::string>(value));
        if (!dict || !put(dict, key.c_str(), std::move(object))) return {};
    }
    return dict;
}

bool put_histogram(const owned& dict, const histogram_value& value) {
    return put(dict, "count", number(value.count)) && put(dict, "sum", number(value.sum)) &&
           put(dict, "bounds", list_of(std::span<const double>(value.bounds))) &&
           put(dict, "bucket_counts",
               list_of(std::span<const std::uint64_t>(value.bucket_counts))) &&
           (!value.min || put(dict, "min", number(*value.min))) &&
           (!value.max || put(dict, "max", number(*value.max)));
}

owned dict_of(const point& from) {
    owned dict(PyDict_New());
    const bool named = dict && put(dict, "instrument", str_of(from.instrument)) &&
                       put(dict, "kind", str_of(kind_names[static_cast<std::size_t>(from.kind)])) &&
                       put(dict, "unit", str_of(from.unit)) &&
                       put(dict, "attributes", attributes_of(from));
    if (!named) return {};
    bool valued = false;
    if (const auto* histogram = std::get_if<histogram_value>(&from.value))
        valued = put_histogram(dict, *histogram);
    else if (const auto* whole = std::get_if<std::int64_t>(&from.value))
        valued = put(dict, "value", owned(PyLong_FromLongLong(*whole)));
    else
        valued = put(dict, "value", number(std::get<double>(from.value)));
    return valued ? std::move(dict) : owned();
}

}  // namespace

owned str_of(std::string_view text) {
    return owned(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

PyObject* list_of_points(const collection& from) {
    owned list(PyList_New(static_cast<Py_ssize_t>(from.points.size())));
    for (std::size_t i = 0; list && i < from.points.size(); ++i) {
        owned item = dict_of(from.points[i]);
        if (!item) return nullptr;
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), item.release());
    }
    return list.release();
}

}  // namespace gym::telemetry::python
