# SPDX-License-Identifier: Apache-2.0
"""A handle whose meter is somebody else's: a Python OpenTelemetry SDK."""

import gym_telemetry
import pytest
from gym_telemetry import gym_metrics as m
from gym_telemetry import handle

sdk = pytest.importorskip("opentelemetry.sdk.metrics")
export = pytest.importorskip("opentelemetry.sdk.metrics.export")


@pytest.fixture
def adopted():
    reader = export.InMemoryMetricReader()
    provider = sdk.MeterProvider(metric_readers=[reader])
    gym_telemetry.adopt(provider)
    m._reset_for_testing()

    def collect():
        data = reader.get_metrics_data()
        metrics = data.resource_metrics[0].scope_metrics[0].metrics if data else []
        return {metric.name: list(metric.data.data_points) for metric in metrics}

    yield collect
    handle.reset_handle()
    provider.shutdown()


def test_every_recorder_reaches_the_application_s_meter(adopted):
    m.record_sandbox_active(2, provider="p")
    m.record_sandbox_startup(1.0, provider="p")
    m.record_sandbox_exec_duration(1.0, provider="p")
    m.record_sandbox_create_retry(provider="p")
    m.record_server_startup_stage(1.0, "load", "server", None)
    m.record_http_connection_pool_queue_duration(
        1.0, queue_constraint="total", queue_outcome="ok", server_name="s"
    )
    m.record_http_connection_pool_connect_duration(1.0, "ok", "s")
    m.register_http_connection_pool_connect_counter(lambda: {"s": 3})
    m.record_rollout_completed("failed", "env", "c", "no such kind", None)
    m.record_rollout_reward(0.5, "env", False)
    m.record_rollout_health("healthy", "scored", iter(["a", "a", "Not an id"]))
    m.record_rollout_duration(1.0)
    m.record_verify(1.0, True)
    m.record_active_servers(3)
    m.record_server_request(1.0)
    points = adopted()
    assert set(points) == {v for n, v in vars(m).items() if n.endswith("_INSTRUMENT")}
    (completed,) = points[m.ROLLOUT_COMPLETED_INSTRUMENT]
    assert completed.attributes == {
        m.ROLLOUT_OUTCOME_ATTRIBUTE: "failed",
        m.DISPATCH_NAME_ATTRIBUTE: "env",
        m.FAILURE_CLASS_ATTRIBUTE: "c",
        m.FAILURE_KIND_ATTRIBUTE: "unregistered",
    }
    (flagged,) = points[m.ROLLOUT_HEALTH_FLAGGED_INSTRUMENT]
    assert flagged.value == 1
    (stage,) = points[m.SERVER_STARTUP_STAGE_INSTRUMENT]
    assert tuple(stage.explicit_bounds) == m.SERVER_STARTUP_BOUNDARIES_MS
    assert stage.attributes[m.WORKER_ATTRIBUTE] is False


def test_the_engine_gets_nothing_meanwhile(adopted):
    m.record_sandbox_create_retry(provider="p")
    handle.reset_handle()
    gym_telemetry.init(enabled=True, exporter="memory", ignore_environment=True)
    assert gym_telemetry.collect() == []
    gym_telemetry.shutdown()


def test_wrong_signature_raises_here_too(adopted):
    with pytest.raises(TypeError):
        m.record_sandbox_active(1, "p")


def test_init_while_adopted_returns_the_handle_in_force(adopted):
    assert gym_telemetry.init(enabled=True, exporter="memory") is gym_telemetry.get_telemetry()


def test_shutdown_lets_go_and_leaves_it_running(adopted):
    m.record_sandbox_create_retry(provider="p")
    gym_telemetry.shutdown()
    m.record_sandbox_create_retry(provider="p")
    (point,) = adopted()[m.SANDBOX_CREATE_RETRY_INSTRUMENT]
    assert point.value == 1
    assert gym_telemetry.get_telemetry() is None


class Broken:
    is_exporting = True

    @property
    def meter(self):
        raise RuntimeError("meter is gone")


class FailingMeter:
    def __getattr__(self, name):
        def fail(*args, **kwargs):
            raise RuntimeError(name)

        return fail


class Failing:
    is_exporting = True
    meter = FailingMeter()


class Silent:
    is_exporting = False


@pytest.mark.parametrize("other", [Broken(), Failing(), Silent(), None])
def test_a_handle_that_fails_reaches_no_caller(other):
    handle.set_handle(other)
    try:
        m.record_sandbox_active(1, provider="p")
        m.record_verify(1.0, True)
        m.record_rollout_health("healthy", "scored", iter(["a"]))
        m.register_http_connection_pool_connect_counter(dict)
    finally:
        handle.reset_handle()


def test_interrupts_go_through():
    class Interrupted:
        @property
        def is_exporting(self):
            raise KeyboardInterrupt

    handle.set_handle(Interrupted())
    try:
        with pytest.raises(KeyboardInterrupt):
            m.record_sandbox_active(1, provider="p")
    finally:
        handle.reset_handle()


def test_our_own_meter_reaches_the_engine(telemetry):
    meter = gym_telemetry.get_telemetry().meter
    meter.create_counter("gym.sandbox.create_retry_total").add(
        2, attributes={m.SANDBOX_PROVIDER_ATTRIBUTE: "p"}
    )
    m._record_histogram(
        m.SANDBOX_STARTUP_INSTRUMENT, "ms", "d", 5.0, {m.SANDBOX_PROVIDER_ATTRIBUTE: "p"}
    )
    m._record_up_down_counter(
        m.SANDBOX_ACTIVE_INSTRUMENT, "{sandbox}", "d", 1, {m.SANDBOX_PROVIDER_ATTRIBUTE: "p"}
    )
    meter.create_gauge("gym.no.such").set(1)
    values = {p["instrument"]: p.get("value", p.get("count")) for p in telemetry()}
    assert values == {
        "gym.sandbox.create_retry_total": 2,
        "gym.sandbox.startup_duration_ms": 1,
        "gym.sandbox.active": 1,
    }


def test_an_instrument_is_made_once_for_a_meter():
    meter = object()
    first = m._get_or_create(meter, "name", lambda: object())
    assert m._get_or_create(meter, "name", lambda: object()) is first
    m._reset_for_testing()
    assert m._get_or_create(meter, "name", lambda: object()) is not first
