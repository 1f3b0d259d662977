// SPDX-License-Identifier: Apache-2.0
#include "connect_counter.hpp"

#include "interpreter.hpp"
#include "values.hpp"

#include <gym/telemetry/observable.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gym::telemetry::python {

namespace {

struct count {
    std::string server_name;
    integer value;
};

std::vector<count> counts_of(PyObject* callable) {
    const owned snapshot(PyObject_CallNoArgs(callable));
    const owned items(snapshot ? PyMapping_Items(snapshot.get()) : nullptr);
    const owned pairs(items ? PySequence_Fast(items.get(), "items") : nullptr);
    if (!pairs) {
        PyErr_Clear();
        throw std::runtime_error("the snapshot raised, or is no mapping");
    }
    std::vector<count> counts;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(pairs.get()); ++i) {
        PyObject* pair = PySequence_Fast_GET_ITEM(pairs.get(), i);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) continue;
        const text name(PyTuple_GET_ITEM(pair, 0));
        if (name)
            counts.push_back({std::string(name.view()), to_integer(PyTuple_GET_ITEM(pair, 1))});
    }
    return counts;
}

class python_connect_callback final : public gym::telemetry::detail::connect_callback {
public:
    explicit python_connect_callback(PyObject* callable) : callable_(Py_NewRef(callable)) {}
    // On whichever thread lets the generation go, perhaps without an interpreter.
    ~python_connect_callback() override { release_later(callable_); }

    void call(gym::telemetry::detail::connect_sink& sink) override {
        std::vector<count> counts;
        // Reported without the interpreter lock.
        if (!with_interpreter([&] { counts = counts_of(callable_); }))
            throw std::runtime_error("the interpreter ends");
        for (const count& each : counts) {
            if (each.value.failure)
                sink.drop(false);
            else
                gym::telemetry::detail::report_count(sink, each.server_name, each.value.value);
        }
    }

private:
    PyObject* callable_;
};

}  // namespace

void register_snapshot(PyObject* callable) {
    try {
        auto callback = std::make_shared<python_connect_callback>(callable);
        const unlocked waits;
        gym::telemetry::detail::register_connect_callback(std::move(callback));
    } catch (const std::bad_alloc&) {  // a recorder never raises: the points are absent
    }
}

}  // namespace gym::telemetry::python
