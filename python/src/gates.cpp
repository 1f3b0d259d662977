// SPDX-License-Identifier: Apache-2.0
#include "gates.hpp"

#include "base/diagnostics.hpp"
#include "trace/span_groups.hpp"
#include "values.hpp"

#include <gym/telemetry/gates.hpp>

#include <utility>

namespace gym::telemetry::python {

namespace {

// Asked when our own answer is no: the gate of the telemetry that the drop-in stands in for.
PyObject* outer_gate = nullptr;

bool is_enabled(std::string_view group) {
    for (int i = 0; i < span_group_count; ++i) {
        const auto each = static_cast<span_group>(i);
        if (gym::telemetry::detail::name_of(each) != group) continue;
        if (span_group_enabled(each)) return true;
        if (each == span_group::sandbox && metrics_enabled()) {
            gym::telemetry::detail::diagnose(
                "sandbox.group_off",
                "gym.sandbox.* stays empty: a sandbox is in use, metrics are on, but the span "
                "group 'sandbox' is not in span_groups (the preset 'default' does not hold it)");
        }
        return false;
    }
    return false;
}

// Off: no name is looked at.
bool any_gate() noexcept {
    return gym::telemetry::detail::control.gates.load(std::memory_order_relaxed) != 0;
}

PyObject* is_span_group_enabled(PyObject*, PyObject* group) {
    return PyBool_FromLong(any_gate() && is_enabled(text(group).view()));
}

// NeMo Gym's call sites behind these groups record metrics; behind the others they only open spans,
// by way of packages that need not be there.
bool has_metrics(std::string_view group) noexcept {
    return group == "sandbox" || group == "rollout" || group == "verify" || group == "startup";
}

PyObject* is_call_site_enabled(PyObject*, PyObject* group) {
    if (any_gate()) {
        const text name(group);
        if (has_metrics(name.view()) && is_enabled(name.view())) Py_RETURN_TRUE;
    }
    if (outer_gate != nullptr) return PyObject_CallOneArg(outer_gate, group);
    Py_RETURN_FALSE;
}

PyObject* metrics(PyObject*, PyObject*) {
    return PyBool_FromLong(metrics_enabled());
}

PyObject* set_outer_gate(PyObject*, PyObject* callable) {
    const owned before(
        std::exchange(outer_gate, callable == Py_None ? nullptr : Py_NewRef(callable)));
    Py_RETURN_NONE;
}

}  // namespace

PyMethodDef* gate_methods() {
    static PyMethodDef methods[] = {
        {"is_span_group_enabled", is_span_group_enabled, METH_O,
         "is_span_group_enabled($module, group, /)\n--\n\n"
         "Whether telemetry is exporting and the span group is on. Cheap; asked before any work."},
        {"is_call_site_enabled", is_call_site_enabled, METH_O,
         "is_call_site_enabled($module, group, /)\n--\n\n"
         "The gate of NeMo Gym's call sites while the drop-in is in place."},
        {"metrics_enabled", metrics, METH_NOARGS,
         "metrics_enabled($module, /)\n--\n\nWhether telemetry is exporting metrics."},
        {"set_outer_gate", set_outer_gate, METH_O, nullptr},
        {nullptr, nullptr, 0, nullptr}};
    return methods;
}

}  // namespace gym::telemetry::python
