# SPDX-License-Identifier: Apache-2.0
"""Recording into a meter of somebody else's: what the C recorders call while such a handle is in
force. Values follow the same rules as in the engine."""

import math
import threading
from typing import Any

from . import _native, gym_metrics as names

_DESCRIPTIONS = {name: (unit, text) for name, unit, text in _native.instruments()}
_KNOWN_BOUNDARIES = names.SERVER_STARTUP_BOUNDARIES_MS


def record(function: str, arguments: tuple[Any, ...]) -> None:
    """One call of a recorder, its arguments in the order of the parameters."""
    _RECORDERS[function](*arguments)


def _attributes(name: str, *values: Any) -> dict[str, Any]:
    return _native.attributes_of(name, values)


def _histogram(name: str, value: Any, boundaries: tuple[float, ...], *values: Any) -> None:
    duration = float(value)
    if not (math.isfinite(duration) and duration >= 0):
        return
    unit, text = _DESCRIPTIONS[name]
    names._record_histogram(
        name, unit, text, duration, _attributes(name, *values), boundaries=boundaries
    )


def _counter(name: str, *values: Any) -> None:
    names._record_counter(name, _DESCRIPTIONS[name][1], _attributes(name, *values))


def _gauge(name: str, value: float) -> None:
    meter = names._meter()
    if meter is None:
        return
    unit, text = _DESCRIPTIONS[name]

    def create() -> Any:
        return meter.create_gauge(name, unit=unit, description=text)

    names._get_or_create(meter, name, create).set(value)


def _sandbox_active(delta: Any, provider: Any) -> None:
    name = names.SANDBOX_ACTIVE_INSTRUMENT
    unit, text = _DESCRIPTIONS[name]
    names._record_up_down_counter(name, unit, text, delta, _attributes(name, provider))


def _sandbox_startup(duration_ms: Any, provider: Any) -> None:
    _histogram(
        names.SANDBOX_STARTUP_INSTRUMENT,
        duration_ms,
        names.SANDBOX_DURATION_BOUNDARIES_MS,
        provider,
    )


def _sandbox_exec(duration_ms: Any, provider: Any) -> None:
    _histogram(
        names.SANDBOX_EXEC_INSTRUMENT, duration_ms, names.SANDBOX_DURATION_BOUNDARIES_MS, provider
    )


def _startup_stage(
    duration_ms: Any, stage: Any, server_name: Any, server_type: Any, worker: Any
) -> None:
    _histogram(
        names.SERVER_STARTUP_STAGE_INSTRUMENT,
        duration_ms,
        names.SERVER_STARTUP_BOUNDARIES_MS,
        stage,
        server_name,
        server_type,
        worker,
    )


def _queue_duration(
    duration_ms: Any, queue_constraint: Any, queue_outcome: Any, server_name: Any
) -> None:
    _histogram(
        names.HTTP_CONNECTION_POOL_QUEUE_DURATION_INSTRUMENT,
        duration_ms,
        names.HTTP_CONNECTION_POOL_QUEUE_DURATION_BOUNDARIES_MS,
        queue_constraint,
        queue_outcome,
        server_name,
    )


def _connect_duration(duration_ms: Any, outcome: Any, server_name: Any) -> None:
    _histogram(
        names.HTTP_CONNECTION_POOL_CONNECT_DURATION_INSTRUMENT,
        duration_ms,
        names.HTTP_CONNECTION_POOL_QUEUE_DURATION_BOUNDARIES_MS,
        outcome,
        server_name,
    )


def _connect_counter(snapshot: Any) -> None:
    meter = names._meter()
    if meter is None:
        return
    name = names.HTTP_CONNECTION_POOL_CONNECT_INSTRUMENT
    unit, text = _DESCRIPTIONS[name]

    def observe(_options: Any) -> list[Any]:
        from opentelemetry.metrics import Observation

        return [
            Observation(count, _attributes(name, server)) for server, count in snapshot().items()
        ]

    def create() -> Any:
        return meter.create_observable_counter(
            name, callbacks=[observe], unit=unit, description=text
        )

    names._get_or_create(meter, name, create)


def _rollout_completed(*values: Any) -> None:
    _counter(names.ROLLOUT_COMPLETED_INSTRUMENT, *values)


def _rollout_reward(reward: Any, dispatch_name: Any, masked: Any) -> None:
    value = float(reward)
    if not math.isnan(value):
        _counter(
            names.ROLLOUT_REWARDED_INSTRUMENT, names._reward_range(value), dispatch_name, masked
        )


def _rollout_health(verdict: Any, outcome: Any, flagged_checks: Any) -> None:
    _counter(names.ROLLOUT_HEALTH_VERDICT_INSTRUMENT, verdict, outcome)
    seen: set[str] = set()
    checks = (flagged_checks,) if isinstance(flagged_checks, str) else flagged_checks
    for check in checks:
        text = str(check)
        if text not in seen and names._is_check_id(text):
            _counter(names.ROLLOUT_HEALTH_FLAGGED_INSTRUMENT, text, outcome)
        seen.add(text)


class _Verifications:
    """The share of verifications that succeeded, as the engine keeps it by itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = self._succeeded = 0

    def record(self, duration_ms: Any, succeeded: Any) -> None:
        with self._lock:
            self._total += 1
            self._succeeded += bool(succeeded)
            share = self._succeeded / self._total
        _histogram(names.VERIFY_DURATION_INSTRUMENT, duration_ms, _KNOWN_BOUNDARIES)
        _gauge(names.VERIFY_SUCCESS_RATE_INSTRUMENT, share)


def _rollout_duration(duration_ms: Any) -> None:
    _histogram(names.ROLLOUT_DURATION_INSTRUMENT, duration_ms, _KNOWN_BOUNDARIES)


def _active_servers(count: Any) -> None:
    _gauge(names.SERVERS_ACTIVE_INSTRUMENT, count)


def _server_request(duration_ms: Any) -> None:
    _histogram(names.SERVER_REQUEST_DURATION_INSTRUMENT, duration_ms, _KNOWN_BOUNDARIES)


_RECORDERS = {
    "record_sandbox_active": _sandbox_active,
    "record_sandbox_startup": _sandbox_startup,
    "record_sandbox_exec_duration": _sandbox_exec,
    "record_sandbox_create_retry": lambda provider: _counter(
        names.SANDBOX_CREATE_RETRY_INSTRUMENT, provider
    ),
    "record_server_startup_stage": _startup_stage,
    "record_http_connection_pool_queue_duration": _queue_duration,
    "record_http_connection_pool_connect_duration": _connect_duration,
    "register_http_connection_pool_connect_counter": _connect_counter,
    "record_rollout_completed": _rollout_completed,
    "record_rollout_reward": _rollout_reward,
    "record_rollout_health": _rollout_health,
    "record_rollout_duration": _rollout_duration,
    "record_verify": _Verifications().record,
    "record_active_servers": _active_servers,
    "record_server_request": _server_request,
}
