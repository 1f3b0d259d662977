# SPDX-License-Identifier: Apache-2.0
"""Signatures and values of the recorders, with telemetry off and on."""

import enum
import inspect
import math
import threading

import gym_telemetry
import pytest
from conftest import by_series
from gym_telemetry import gym_metrics as m

SIGNATURES = {
    "record_sandbox_active": "(delta, *, provider)",
    "record_sandbox_startup": "(duration_ms, *, provider)",
    "record_sandbox_exec_duration": "(duration_ms, *, provider)",
    "record_sandbox_create_retry": "(*, provider)",
    "record_server_startup_stage": "(duration_ms, stage, server_name, server_type, worker=False)",
    "record_http_connection_pool_queue_duration": (
        "(duration_ms, *, queue_constraint, queue_outcome, server_name)"
    ),
    "record_http_connection_pool_connect_duration": "(duration_ms, outcome, server_name)",
    "register_http_connection_pool_connect_counter": "(snapshot)",
    "record_rollout_completed": (
        "(outcome, dispatch_name, failure_class=None, failure_kind=None, failure_type=None)"
    ),
    "record_rollout_reward": "(reward, dispatch_name, masked)",
    "record_rollout_health": "(verdict, outcome, flagged_checks)",
    "record_rollout_duration": "(duration_ms)",
    "record_verify": "(duration_ms, succeeded)",
    "record_active_servers": "(count)",
    "record_server_request": "(duration_ms)",
}

WRONG_CALLS = [
    lambda: m.record_sandbox_active(),
    lambda: m.record_sandbox_active(1),
    lambda: m.record_sandbox_active(1, "docker"),
    lambda: m.record_sandbox_active(1, provider="p", more=1),
    lambda: m.record_sandbox_active(1, delta=1, provider="p"),
    lambda: m.record_sandbox_create_retry("docker"),
    lambda: m.record_sandbox_startup(1.0, **{"provide" + "rs": "p"}),
    lambda: m.record_server_startup_stage(1.0, "stage", "server"),
    lambda: m.record_http_connection_pool_queue_duration(1.0, "total", "ok", "s"),
    lambda: m.record_http_connection_pool_connect_duration(1.0, "ok"),
    lambda: m.record_rollout_completed("scored"),
    lambda: m.record_rollout_completed("scored", "e", "c", "k", "t", "more"),
    lambda: m.record_rollout_reward(1.0, "env"),
    lambda: m.record_rollout_health("healthy", "scored"),
    lambda: m.register_http_connection_pool_connect_counter(),
    lambda: m.record_verify(1.0),
]


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name):
    assert str(inspect.signature(getattr(m, name))) == SIGNATURES[name]


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_signature_raises_type_error_while_off(call):
    assert not gym_telemetry.is_exporting()
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_wrong_signature_raises_type_error_while_on(call, telemetry):
    with pytest.raises(TypeError):
        call()
    assert telemetry() == []


def test_type_errors_read_as_pythons_own():
    def like(delta, *, provider): ...

    for arguments, names in [((1, 2), {}), ((1,), {"provider": "p", "x": 2})]:
        with pytest.raises(TypeError) as theirs:
            like(*arguments, **names)
        with pytest.raises(TypeError) as ours:
            m.record_sandbox_active(*arguments, **names)
        assert str(ours.value) == str(theirs.value).split("test_type")[-1].replace(
            "_errors_read_as_pythons_own.<locals>.like", "record_sandbox_active"
        )


def test_names_made_at_run_time_and_any_order(telemetry):
    name = "".join(["prov", "ider"])
    m.record_sandbox_active(**{name: "docker", "delta": 2})
    m.record_sandbox_active(provider="docker", delta=-1)
    (point,) = telemetry()
    assert point["value"] == 1


def test_off_looks_at_no_value():
    class Untouchable:
        def __getattribute__(self, name):
            raise AssertionError(name)

    def endless():
        raise AssertionError("walked")
        yield

    m.record_sandbox_startup(Untouchable(), provider=Untouchable())
    m.record_rollout_health("healthy", "scored", endless())


class Unreadable:
    def __str__(self):
        raise ValueError("no text")

    __float__ = __index__ = __iter__ = __bool__ = __str__


@pytest.mark.parametrize("value", [None, "text", b"bytes", [], {}, object(), Unreadable(), 10**400])
def test_no_value_raises(value, telemetry):
    m.record_sandbox_active(value, provider=value)
    m.record_sandbox_startup(value, provider=value)
    m.record_sandbox_create_retry(provider=value)
    m.record_server_startup_stage(value, value, value, value, value)
    m.record_http_connection_pool_queue_duration(
        value, queue_constraint=value, queue_outcome=value, server_name=value
    )
    m.record_http_connection_pool_connect_duration(value, value, value)
    m.record_rollout_completed(value, value, value, value, value)
    m.record_rollout_reward(value, value, value)
    m.record_rollout_health(value, value, value)
    m.record_verify(value, value)
    m.record_active_servers(value)
    m.record_server_request(value)
    for point in telemetry():
        assert math.isfinite(point.get("sum", point.get("value", 0)))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "not_a_number"),
        (math.inf, "not_a_number"),
        (-1.0, "negative"),
        ("12", "not_a_number"),
        (10**400, "not_a_number"),
    ],
)
def test_durations_that_are_none_are_dropped_and_counted(value, reason, telemetry):
    m.record_sandbox_startup(value, provider="p")
    assert telemetry() == []
    (dropped,) = [
        p for p in gym_telemetry.collect() if p["instrument"] == "gym.telemetry.dropped_total"
    ]
    assert dropped["attributes"] == {
        "instrument": "gym.sandbox.startup_duration_ms",
        "reason": reason,
    }


def test_integers_stand_for_durations_and_floats_for_deltas(telemetry):
    m.record_sandbox_startup(250, provider="p")
    m.record_sandbox_active(2.0, provider="p")
    m.record_sandbox_active(0.5, provider="p")  # no integer: dropped
    series = by_series(telemetry())
    provider = frozenset({"nemo.gym.sandbox.provider": "p"}.items())
    assert series["gym.sandbox.startup_duration_ms", provider]["bucket_counts"][0] == 1
    assert series["gym.sandbox.active", provider]["value"] == 2


def test_text_is_what_the_string_holds(telemetry):
    class Kind(str, enum.Enum):
        TIMEOUT = "agent_timeout"

    m.record_rollout_completed("failed", "env", "agent_run_error", Kind.TIMEOUT, None)
    (point,) = telemetry()
    assert point["attributes"]["nemo.gym.failure_kind"] == "agent_timeout"
    assert "nemo.gym.failure_type" not in point["attributes"]


@pytest.mark.parametrize(
    ("given", "recorded"),
    [
        ("größe", "größe"),
        ("a\0b", "a\0b"),
        ("x" * 2000, "x" * 1024),
        ("\udc80broken", "\ufffdbroken"),
        ("", ""),
    ],
)
def test_text_rules(given, recorded, telemetry):
    m.record_sandbox_create_retry(provider=given)
    (point,) = telemetry()
    assert point["attributes"] == {"nemo.gym.sandbox.provider": recorded}


def test_lone_surrogates_become_replacement_characters(telemetry):
    m.record_sandbox_create_retry(provider="a\ud800b")
    (point,) = telemetry()
    assert set(point["attributes"]["nemo.gym.sandbox.provider"]) == {"a", "b", "\ufffd"}


def test_flagged_checks_are_walked_once_and_count_once(telemetry):
    m.record_rollout_health("unhealthy", "scored", iter(["a_check", "b_check", "a_check", "Bad"]))
    points = [p for p in telemetry() if p["instrument"] == "gym.rollout.health_flagged_total"]
    assert sorted(p["attributes"]["nemo.gym.health.check"] for p in points) == [
        "a_check",
        "b_check",
    ]
    assert {p["value"] for p in points} == {1}


def test_one_text_is_one_check(telemetry):
    m.record_rollout_health("unhealthy", "scored", "a_check")
    (flagged,) = [p for p in telemetry() if p["instrument"] == "gym.rollout.health_flagged_total"]
    assert flagged["attributes"]["nemo.gym.health.check"] == "a_check"


def test_all_recorders_reach_their_instruments(telemetry):
    m.record_sandbox_active(1, provider="p")
    m.record_sandbox_startup(1.0, provider="p")
    m.record_sandbox_exec_duration(1.0, provider="p")
    m.record_sandbox_create_retry(provider="p")
    m.record_server_startup_stage(1.0, "load", "server", None, True)
    m.record_http_connection_pool_queue_duration(
        1.0, queue_constraint="total", queue_outcome="ok", server_name="s"
    )
    m.record_http_connection_pool_connect_duration(1.0, "ok", "s")
    m.register_http_connection_pool_connect_counter(lambda: {"s": 3})
    m.record_rollout_completed("scored", "env")
    m.record_rollout_reward(1, "env", False)
    m.record_rollout_health("healthy", "scored", ["a"])
    m.record_rollout_duration(1.0)
    m.record_verify(1.0, True)
    m.record_active_servers(3)
    m.record_server_request(1.0)
    names = {value for name, value in vars(m).items() if name.endswith("_INSTRUMENT")}
    assert {p["instrument"] for p in telemetry()} == names
    assert len(names) == 17


def test_threads_lose_nothing_concurrent_safe(telemetry):
    def work():
        for _ in range(20_000):
            m.record_sandbox_create_retry(provider="p")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (point,) = telemetry()
    assert point["value"] == 80_000


def test_connect_counter_first_registration_wins(telemetry):
    m.register_http_connection_pool_connect_counter(lambda: {"first": 1})
    m.register_http_connection_pool_connect_counter(lambda: {"second": 2})
    (point,) = telemetry()
    assert point["attributes"] == {"nemo.gym.http.destination.server.name": "first"}


@pytest.mark.parametrize(
    "snapshot", [lambda: 1 / 0, lambda: None, lambda: {"s": -1}, lambda: {"s": "x"}]
)
def test_a_snapshot_that_is_none_has_no_points(snapshot, telemetry):
    m.register_http_connection_pool_connect_counter(snapshot)
    assert telemetry() == []


def test_a_snapshot_may_record(telemetry):
    def snapshot():
        m.record_sandbox_create_retry(provider="inside")
        return {"s": 1}

    m.register_http_connection_pool_connect_counter(snapshot)
    telemetry()
    assert "gym.sandbox.create_retry_total" in {p["instrument"] for p in telemetry()}


def test_another_generation_has_another_registration():
    for count in (1, 2):
        gym_telemetry.init(enabled=True, exporter="memory", ignore_environment=True)
        m.register_http_connection_pool_connect_counter(lambda count=count: {"s": count})
        points = [p for p in gym_telemetry.collect() if "connect_total" in p["instrument"]]
        assert [p["value"] for p in points] == [count]
        gym_telemetry.shutdown()


def test_constants_are_those_of_the_table():
    from gym_telemetry import _native

    table = {name for name, _, _ in _native.instruments()}
    for name, value in vars(m).items():
        if name.endswith("_INSTRUMENT"):
            assert value in table
    assert m._reward_range(-0.0) == "zero" and m._reward_range(math.inf) == "above_one"
    assert m._server_attributes("s", None) == {"nemo.gym.server.name": "s"}
