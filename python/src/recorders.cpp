// SPDX-License-Identifier: Apache-2.0
//
// The recorders: vectorcall functions straight into the engine's inlined path, since any dispatch
// in between costs more than the record (docs/python.md has the numbers). Signatures and the rule
// "TypeError for a wrong signature, nothing else ever": the telemetry API page of NVIDIA NeMo Gym.
#include "recorders.hpp"

#include "connect_counter.hpp"
#include "engine/record.hpp"
#include "instruments/catalogue.hpp"
#include "instruments/record.hpp"
#include "route.hpp"
#include "signature.hpp"
#include "values.hpp"

#include <gym/telemetry/detail/control.hpp>
#include <gym/telemetry/recorders.hpp>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace gym::telemetry::python {

namespace {

using engine::drop_record;
using instruments::id_of;
namespace drop_reason = engine::drop_reason;

using arguments = PyObject* const*;

// A record with its arguments in order. Apart from its caller, so that a call while telemetry is
// off sets up no stack frame (3 ns).
template <class Record>
[[gnu::noinline]] PyObject* run(arguments args) {
    Record()(args);
    Py_RETURN_NONE;
}

[[gnu::noinline]] PyObject* call_any(const signature& to, arguments args, Py_ssize_t given,
                                     PyObject* keywords, PyObject* (*record)(arguments)) {
    bound_arguments room;
    args = bind(to, args, given, keywords, room);
    if (args == nullptr) return nullptr;
    if (current_route != route::engine) return record_on_route(to, args);
    if (gym::telemetry::detail::recording() == 0) Py_RETURN_NONE;
    return record(args);
}

// Everything but the record itself. With telemetry off the values are not looked at.
template <std::size_t Count, std::size_t Positional, class Record>
inline PyObject* call(const signature& to, arguments args, Py_ssize_t given, PyObject* keywords,
                      Record) {
    if (!is_in_order<Count, Positional>(to, given, keywords)) [[unlikely]]
        return call_any(to, args, given, keywords, run<Record>);
    if (current_route != route::engine) [[unlikely]]
        return record_on_route(to, args);
    if (gym::telemetry::detail::recording() == 0) Py_RETURN_NONE;
    return run<Record>(args);
}

// A histogram whose attributes are the texts that follow the value, of any types.
template <engine::instrument_id Id, std::size_t... Texts>
[[gnu::cold, gnu::noinline]] void record_any_duration(arguments args) {
    const double value = to_double(args[0]);
    const std::array<text, sizeof...(Texts)> texts = {text(args[Texts + 1])...};
    for (const text& each : texts)
        if (!each) return drop_record(Id, drop_reason::bad_name);
    instruments::record<Id>(value, texts[Texts].view()...);
}

// The same for a float and ASCII texts, which need no clean-up.
template <engine::instrument_id Id, std::size_t... Texts>
inline void record_duration(arguments args, std::index_sequence<Texts...>) {
    std::array<std::string_view, sizeof...(Texts)> texts;
    if (!PyFloat_CheckExact(args[0]) || !(is_plain_text(args[Texts + 1], texts[Texts]) && ...))
        [[unlikely]]
        return record_any_duration<Id, Texts...>(args);
    instruments::record<Id>(PyFloat_AS_DOUBLE(args[0]), texts[Texts]...);
}

constinit signature sandbox_active_signature{
    "record_sandbox_active", 2, 1, 2, {"delta", "provider"}};
PyObject* sandbox_active(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<2, 1>(sandbox_active_signature, args, given, keywords, [](arguments a) {
        constexpr auto id = id_of("gym.sandbox.active");
        const integer delta = to_integer(a[0]);
        std::string_view provider;
        if (!delta.failure && is_plain_text(a[1], provider)) [[likely]]
            return instruments::add<id>(delta.value, provider);
        const text any(a[1]);
        if (delta.failure)
            return drop_record(id, *delta.failure == no_integer::overflow
                                       ? drop_reason::overflow
                                       : drop_reason::not_a_number);
        if (!any) return drop_record(id, drop_reason::bad_name);
        instruments::add<id>(delta.value, any.view());
    });
}

constinit signature sandbox_startup_signature{
    "record_sandbox_startup", 2, 1, 2, {"duration_ms", "provider"}};
PyObject* sandbox_startup(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<2, 1>(sandbox_startup_signature, args, given, keywords, [](arguments a) {
        record_duration<id_of("gym.sandbox.startup_duration_ms")>(a, std::index_sequence<0>());
    });
}

constinit signature sandbox_exec_signature{
    "record_sandbox_exec_duration", 2, 1, 2, {"duration_ms", "provider"}};
PyObject* sandbox_exec_duration(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<2, 1>(sandbox_exec_signature, args, given, keywords, [](arguments a) {
        record_duration<id_of("gym.sandbox.exec_duration_ms")>(a, std::index_sequence<0>());
    });
}

constinit signature sandbox_create_retry_signature{
    "record_sandbox_create_retry", 1, 0, 1, {"provider"}};
PyObject* sandbox_create_retry(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<1, 0>(sandbox_create_retry_signature, args, given, keywords, [](arguments a) {
        constexpr auto id = id_of("gym.sandbox.create_retry_total");
        std::string_view provider;
        if (is_plain_text(a[0], provider)) [[likely]]
            return instruments::count<id>(provider);
        const text any(a[0]);
        if (!any) return drop_record(id, drop_reason::bad_name);
        instruments::count<id>(any.view());
    });
}

constinit signature startup_stage_signature{
    "record_server_startup_stage",
    5,
    5,
    4,
    {"duration_ms", "stage", "server_name", "server_type", "worker"}};
PyObject* server_startup_stage(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<5, 5>(startup_stage_signature, args, given, keywords, [](arguments a) {
        constexpr auto id = id_of("gym.server.startup_stage_duration_ms");
        const double value = to_double(a[0]);
        const text stage(a[1]), server_name(a[2]);
        const text server_type = text::optional(a[3]);
        if (!stage || !server_name || !server_type) [[unlikely]]
            return drop_record(id, drop_reason::bad_name);
        instruments::record<id>(value, stage.view(), server_name.view(), server_type.view(),
                                to_bool(a[4]));
    });
}

constinit signature queue_duration_signature{
    "record_http_connection_pool_queue_duration",
    4,
    1,
    4,
    {"duration_ms", "queue_constraint", "queue_outcome", "server_name"}};
PyObject* queue_duration(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<4, 1>(queue_duration_signature, args, given, keywords, [](arguments a) {
        record_duration<id_of("gym.http.connection_pool.queue_duration_ms")>(
            a, std::index_sequence<0, 1, 2>());
    });
}

constinit signature connect_duration_signature{"record_http_connection_pool_connect_duration",
                                               3,
                                               3,
                                               3,
                                               {"duration_ms", "outcome", "server_name"}};
PyObject* connect_duration(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<3, 3>(connect_duration_signature, args, given, keywords, [](arguments a) {
        record_duration<id_of("gym.http.connection_pool.connect_duration_ms")>(
            a, std::index_sequence<0, 1>());
    });
}

constinit signature connect_counter_signature{
    "register_http_connection_pool_connect_counter", 1, 1, 1, {"snapshot"}};
PyObject* register_connect_counter(PyObject*, arguments args, Py_ssize_t given,
                                   PyObject* keywords) {
    return call<1, 1>(connect_counter_signature, args, given, keywords,
                      [](arguments a) { register_snapshot(a[0]); });
}

constinit signature completed_signature{
    "record_rollout_completed",
    5,
    5,
    2,
    {"outcome", "dispatch_name", "failure_class", "failure_kind", "failure_type"}};
PyObject* rollout_completed(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<5, 5>(completed_signature, args, given, keywords, [](arguments a) {
        constexpr auto id = id_of("gym.rollout.completed_total");
        const text outcome(a[0]), dispatch_name(a[1]);
        const text failure_class = text::optional(a[2]), failure_kind = text::optional(a[3]),
                   failure_type = text::optional(a[4]);
        if (!outcome || !dispatch_name || !failure_class || !failure_kind || !failure_type)
            [[unlikely]]
            return drop_record(id, drop_reason::bad_name);
        instruments::count<id>(outcome.view(), dispatch_name.view(), failure_class.view(),
                               failure_kind.view(), failure_type.view());
    });
}

constinit signature reward_signature{
    "record_rollout_reward", 3, 3, 3, {"reward", "dispatch_name", "masked"}};
PyObject* rollout_reward(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<3, 3>(reward_signature, args, given, keywords, [](arguments a) {
        const double reward = to_double(a[0]);
        const text dispatch_name(a[1]);
        if (!dispatch_name) [[unlikely]]
            return drop_record(id_of("gym.rollout.rewarded_total"), drop_reason::bad_name);
        gym::telemetry::detail::rollout_reward(reward, dispatch_name.view(), to_bool(a[2]));
    });
}

// The elements of an iterable, which is walked once. One that raises has the elements that came
// before; a text is one element, not its letters.
std::vector<owned> elements_of(PyObject* iterable) {
    std::vector<owned> elements;
    if (PyUnicode_Check(iterable)) {
        elements.emplace_back(Py_NewRef(iterable));
        return elements;
    }
    const owned iterator(PyObject_GetIter(iterable));
    while (iterator) {
        owned element(PyIter_Next(iterator.get()));
        if (!element) break;
        elements.push_back(std::move(element));
    }
    PyErr_Clear();
    return elements;
}

constinit signature health_signature{
    "record_rollout_health", 3, 3, 3, {"verdict", "outcome", "flagged_checks"}};
PyObject* rollout_health(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<3, 3>(health_signature, args, given, keywords, [](arguments a) {
        const text verdict(a[0]), outcome(a[1]);
        if (!verdict || !outcome) [[unlikely]]
            return drop_record(id_of("gym.rollout.health_verdict_total"), drop_reason::bad_name);
        const std::vector<owned> elements = elements_of(a[2]);
        std::vector<text> texts;
        std::vector<std::string_view> checks;
        texts.reserve(elements.size());
        for (const owned& element : elements) {
            texts.emplace_back(element.get());
            if (texts.back()) checks.push_back(texts.back().view());
        }
        gym::telemetry::detail::rollout_health(verdict.view(), outcome.view(), checks);
    });
}

constinit signature rollout_duration_signature{"record_rollout_duration", 1, 1, 1, {"duration_ms"}};
PyObject* rollout_duration(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<1, 1>(rollout_duration_signature, args, given, keywords, [](arguments a) {
        record_duration<id_of("gym.rollout.duration_ms")>(a, std::index_sequence<>());
    });
}

constinit signature verify_signature{"record_verify", 2, 2, 2, {"duration_ms", "succeeded"}};
PyObject* verify(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<2, 2>(verify_signature, args, given, keywords, [](arguments a) {
        gym::telemetry::detail::verify(to_double(a[0]), to_bool(a[1]));
    });
}

constinit signature active_servers_signature{"record_active_servers", 1, 1, 1, {"count"}};
PyObject* active_servers(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<1, 1>(active_servers_signature, args, given, keywords, [](arguments a) {
        constexpr auto id = id_of("gym.servers.active");
        const double count = to_double(a[0]);
        if (!std::isfinite(count)) return drop_record(id, drop_reason::not_a_number);
        instruments::store<id>(count);
    });
}

constinit signature server_request_signature{"record_server_request", 1, 1, 1, {"duration_ms"}};
PyObject* server_request(PyObject*, arguments args, Py_ssize_t given, PyObject* keywords) {
    return call<1, 1>(server_request_signature, args, given, keywords, [](arguments a) {
        record_duration<id_of("gym.server.request_duration_ms")>(a, std::index_sequence<>());
    });
}

constexpr std::array all_signatures = {&sandbox_active_signature,   &sandbox_startup_signature,
                                       &sandbox_exec_signature,     &sandbox_create_retry_signature,
                                       &startup_stage_signature,    &queue_duration_signature,
                                       &connect_duration_signature, &connect_counter_signature,
                                       &completed_signature,        &reward_signature,
                                       &health_signature,           &rollout_duration_signature,
                                       &verify_signature,           &active_servers_signature,
                                       &server_request_signature};

PyMethodDef fast(const char* name,
                 PyObject* (*function)(PyObject*, arguments, Py_ssize_t, PyObject*),
                 const char* help) {
    // The flags say that it is called by the three-argument form.
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
            METH_FASTCALL | METH_KEYWORDS, help};
}

}  // namespace

bool intern_parameters() {
    for (signature* each : all_signatures)
        if (!each->intern()) return false;
    return true;
}

PyMethodDef* recorder_methods() {
    // The first line of a help text is the signature that inspect and help() show.
    static PyMethodDef methods[] = {
        fast("record_sandbox_active", sandbox_active,
             "record_sandbox_active($module, /, delta, *, provider)\n--\n\n"
             "Add to gym.sandbox.active: +1 when a provider hands back a handle, -1 on release."),
        fast("record_sandbox_startup", sandbox_startup,
             "record_sandbox_startup($module, /, duration_ms, *, provider)\n--\n\n"
             "Record the wall-clock time of one provisioning that succeeded."),
        fast("record_sandbox_exec_duration", sandbox_exec_duration,
             "record_sandbox_exec_duration($module, /, duration_ms, *, provider)\n--\n\n"
             "Record the wall-clock time of one command that ran to its end."),
        fast("record_sandbox_create_retry", sandbox_create_retry,
             "record_sandbox_create_retry($module, /, *, provider)\n--\n\n"
             "Count one create attempt that a provider retried."),
        fast("record_server_startup_stage", server_startup_stage,
             "record_server_startup_stage($module, /, duration_ms, stage, server_name, "
             "server_type, worker=False)\n--\n\n"
             "Record one stage of one server's own startup."),
        fast("record_http_connection_pool_queue_duration", queue_duration,
             "record_http_connection_pool_queue_duration($module, /, duration_ms, *, "
             "queue_constraint, queue_outcome, server_name)\n--\n\n"
             "Record the wait of one queued connection acquisition."),
        fast("record_http_connection_pool_connect_duration", connect_duration,
             "record_http_connection_pool_connect_duration($module, /, duration_ms, outcome, "
             "server_name)\n--\n\n"
             "Record the time to open one new connection."),
        fast("register_http_connection_pool_connect_counter", register_connect_counter,
             "register_http_connection_pool_connect_counter($module, /, snapshot)\n--\n\n"
             "Export what snapshot() returns, a dict of server names to counts that only grow.\n"
             "The first registration of a generation wins."),
        fast("record_rollout_completed", rollout_completed,
             "record_rollout_completed($module, /, outcome, dispatch_name, failure_class=None, "
             "failure_kind=None, failure_type=None)\n--\n\n"
             "Count one attempt that the collection driver finished handling."),
        fast("record_rollout_reward", rollout_reward,
             "record_rollout_reward($module, /, reward, dispatch_name, masked)\n--\n\n"
             "Count one scored attempt with a numeric reward, by the range it falls in."),
        fast("record_rollout_health", rollout_health,
             "record_rollout_health($module, /, verdict, outcome, flagged_checks)\n--\n\n"
             "Count one evaluated rollout, and each distinct check that flagged it."),
        fast("record_rollout_duration", rollout_duration,
             "record_rollout_duration($module, /, duration_ms)\n--\n\n"
             "Record the time of one rollout."),
        fast("record_verify", verify,
             "record_verify($module, /, duration_ms, succeeded)\n--\n\n"
             "Record one verification, and the share of those that succeeded."),
        fast("record_active_servers", active_servers,
             "record_active_servers($module, /, count)\n--\n\n"
             "Set gym.servers.active. The orchestrator alone calls it."),
        fast("record_server_request", server_request,
             "record_server_request($module, /, duration_ms)\n--\n\n"
             "Record the time of one request to a gym server."),
        {nullptr, nullptr, 0, nullptr}};
    return methods;
}

}  // namespace gym::telemetry::python
