// SPDX-License-Identifier: Apache-2.0
//
// The recorders' signatures in nanobind, with nothing behind them: what that binding would cost.
// For python_bench.py and docs/decisions/009.
#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(python_nanobind, m) {
    m.def("one_label", [](std::int64_t, const char*) {}, "delta"_a, nb::kw_only(), "provider"_a);
    m.def(
        "one_label_of_duration", [](double, const char*) {}, "duration_ms"_a, nb::kw_only(),
        "provider"_a);
    m.def("label_alone", [](const char*) {}, nb::kw_only(), "provider"_a);
    m.def(
        "three_labels", [](double, const char*, const char*, const char*) {}, "duration_ms"_a,
        nb::kw_only(), "queue_constraint"_a, "queue_outcome"_a, "server_name"_a);
}
