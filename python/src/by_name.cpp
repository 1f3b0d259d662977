// SPDX-License-Identifier: Apache-2.0
#include "by_name.hpp"

#include "engine/record.hpp"
#include "instruments/catalogue.hpp"
#include "instruments/record.hpp"
#include "instruments/rules.hpp"
#include "points.hpp"
#include "values.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <array>
#include <optional>
#include <string>

namespace gym::telemetry::python {

namespace {

using engine::attribute_type;
using engine::instrument_row;
using instruments::catalogue;
using value_texts = std::array<std::string_view, engine::max_attributes>;

const instrument_row* row_of(PyObject* name) {
    const text wanted(name);
    const std::size_t at = instruments::find_row(wanted.view());
    return at < catalogue.size() ? &catalogue[at] : nullptr;
}

engine::instrument_id id_of(const instrument_row& row) {
    return static_cast<engine::instrument_id>(&row - catalogue.data());
}

// One value of a row's attributes as the engine takes it. The text object keeps it alive.
std::string_view value_text(attribute_type type, PyObject* value, std::optional<text>& kept) {
    if (type == attribute_type::boolean)
        return to_bool(value) ? std::string_view("\1", 1) : std::string_view("\0", 1);
    kept.emplace(text::optional(value));
    return kept->view();
}

// The values of a mapping in the row's order; false when it holds a key that the row has not.
bool read_attributes(const instrument_row& row, PyObject* attributes,
                     std::array<std::optional<text>, engine::max_attributes>& kept,
                     value_texts& values) {
    Py_ssize_t found = 0;
    for (std::size_t i = 0; i < row.attributes.size(); ++i) {
        const owned key = str_of(row.attributes[i].key);
        PyObject* value =
            key && attributes != Py_None ? PyDict_GetItemWithError(attributes, key.get()) : nullptr;
        found += value != nullptr;
        values[i] = value_text(row.attributes[i].type, value, kept[i]);
    }
    PyErr_Clear();
    return attributes == Py_None || found == PyDict_GET_SIZE(attributes);
}

bool is_duration(double value) {
    return value >= 0 && value <= std::numeric_limits<double>::max();
}

// The measurement of a value by the row's rules; none when it is dropped, which was counted then.
std::optional<engine::measurement> measure(const instrument_row& row, PyObject* value) {
    if (row.how == engine::aggregation::histogram || row.how == engine::aggregation::last_value) {
        const double real = to_double(value);
        if (is_duration(real) || (row.how == engine::aggregation::last_value && real == real))
            return engine::measurement{.real = real};
        instruments::drop_value(id_of(row), real);
        return std::nullopt;
    }
    const integer whole = to_integer(value);
    const bool negative = row.kind == instrument_kind::counter && whole.value < 0;
    if (!whole.failure && !negative) return engine::measurement{.integer = whole.value};
    engine::drop_record(id_of(row), negative ? engine::drop_reason::negative
                                    : *whole.failure == no_integer::overflow
                                        ? engine::drop_reason::overflow
                                        : engine::drop_reason::not_a_number);
    return std::nullopt;
}

PyObject* record_by_name(PyObject*, PyObject* arguments) {
    PyObject *name = nullptr, *value = nullptr, *attributes = nullptr;
    if (!PyArg_ParseTuple(arguments, "UOO", &name, &value, &attributes)) return nullptr;
    const instrument_row* row = row_of(name);
    const bool known = row != nullptr && row->how != engine::aggregation::observed &&
                       row->how != engine::aggregation::ratio && !row->self_metric &&
                       (attributes == Py_None || PyDict_Check(attributes));
    if (!known) Py_RETURN_FALSE;
    if (!gym::telemetry::detail::recording()) Py_RETURN_TRUE;
    std::array<std::optional<text>, engine::max_attributes> kept;
    value_texts values;
    if (!read_attributes(*row, attributes, kept, values)) Py_RETURN_FALSE;
    if (const auto what = measure(*row, value))
        engine::record_elsewhere(id_of(*row), values.data(), *what);
    Py_RETURN_TRUE;
}

PyObject* attributes_of(PyObject*, PyObject* arguments) {
    PyObject *name = nullptr, *given = nullptr;
    if (!PyArg_ParseTuple(arguments, "UO!", &name, &PyTuple_Type, &given)) return nullptr;
    const instrument_row* row = row_of(name);
    owned dict(PyDict_New());
    if (row == nullptr || !dict) return dict.release();
    std::array<std::optional<text>, engine::max_attributes> kept;
    value_texts values;
    for (std::size_t i = 0; i < row->attributes.size(); ++i) {
        PyObject* value = static_cast<Py_ssize_t>(i) < PyTuple_GET_SIZE(given)
                              ? PyTuple_GET_ITEM(given, static_cast<Py_ssize_t>(i))
                              : Py_None;
        values[i] = value_text(row->attributes[i].type, value, kept[i]);
    }
    engine::normalized_values normal;
    instruments::normalize(*row, values.data(), normal);
    for (std::size_t i = 0; i < row->attributes.size(); ++i) {
        const engine::attribute_row& attribute = row->attributes[i];
        if (attribute.optional && normal.values[i].empty()) continue;
        const owned key = str_of(attribute.key);
        const owned value = attribute.type == attribute_type::boolean
                                ? owned(PyBool_FromLong(normal.values[i] == "\1"))
                                : str_of(normal.values[i]);
        if (!key || !value || PyDict_SetItem(dict.get(), key.get(), value.get()) != 0)
            return nullptr;
    }
    return dict.release();
}

PyObject* instrument_names(PyObject*, PyObject*) {
    owned list(PyList_New(0));
    for (const instrument_row& row : catalogue) {
        if (row.self_metric) continue;
        const owned item(
            Py_BuildValue("(s#s#s#)", row.name.data(), static_cast<Py_ssize_t>(row.name.size()),
                          row.unit.data(), static_cast<Py_ssize_t>(row.unit.size()),
                          row.description.data(), static_cast<Py_ssize_t>(row.description.size())));
        if (!list || !item || PyList_Append(list.get(), item.get()) != 0) return nullptr;
    }
    return list.release();
}

}  // namespace

PyMethodDef* by_name_methods() {
    static PyMethodDef methods[] = {{"record_by_name", record_by_name, METH_VARARGS, nullptr},
                                    {"attributes_of", attributes_of, METH_VARARGS, nullptr},
                                    {"instruments", instrument_names, METH_NOARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};
    return methods;
}

}  // namespace gym::telemetry::python
