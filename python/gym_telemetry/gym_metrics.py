# SPDX-License-Identifier: Apache-2.0
"""The recorders of NeMo Gym's telemetry API page, with its names and signatures.

Each is a no-op unless telemetry is initialised and exporting, and never raises into its caller but
for a call that does not fit its signature (TypeError, also while telemetry is off). Records go to
the engine, or to the meter of the handle in force when that is somebody else's.
"""

import logging
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from . import lifecycle as _lifecycle  # noqa: F401 - its exit handler, before the application's
from ._native import (
    record_active_servers,
    record_http_connection_pool_connect_duration,
    record_http_connection_pool_queue_duration,
    record_rollout_completed,
    record_rollout_duration,
    record_rollout_health,
    record_rollout_reward,
    record_sandbox_active,
    record_sandbox_create_retry,
    record_sandbox_exec_duration,
    record_sandbox_startup,
    record_server_request,
    record_server_startup_stage,
    record_verify,
    register_http_connection_pool_connect_counter,
)

logger = logging.getLogger(__name__)

# Attribute keys.
SANDBOX_PROVIDER_ATTRIBUTE = "nemo.gym.sandbox.provider"
SERVER_NAME_ATTRIBUTE = "nemo.gym.server.name"
SERVER_TYPE_ATTRIBUTE = "nemo.gym.server.type"
STARTUP_STAGE_ATTRIBUTE = "nemo.gym.startup.stage"
WORKER_ATTRIBUTE = "nemo.gym.server.worker"
HTTP_CONNECTION_POOL_QUEUE_CONSTRAINT_ATTRIBUTE = "nemo.gym.http.connection_pool.queue_constraint"
HTTP_CONNECTION_POOL_QUEUE_OUTCOME_ATTRIBUTE = "nemo.gym.http.connection_pool.queue_outcome"
HTTP_CONNECTION_POOL_CONNECT_OUTCOME_ATTRIBUTE = "nemo.gym.http.connection_pool.connect_outcome"
HTTP_DESTINATION_SERVER_NAME_ATTRIBUTE = "nemo.gym.http.destination.server.name"
ROLLOUT_OUTCOME_ATTRIBUTE = "nemo.gym.rollout.outcome"
DISPATCH_NAME_ATTRIBUTE = "nemo.gym.rollout.dispatch.name"
ROLLOUT_MASKED_ATTRIBUTE = "nemo.gym.rollout.masked"
REWARD_RANGE_ATTRIBUTE = "nemo.gym.rollout.reward.range"
FAILURE_CLASS_ATTRIBUTE = "nemo.gym.failure_class"
FAILURE_KIND_ATTRIBUTE = "nemo.gym.failure_kind"
FAILURE_TYPE_ATTRIBUTE = "nemo.gym.failure_type"
HEALTH_VERDICT_ATTRIBUTE = "nemo.gym.health.verdict"
HEALTH_CHECK_ATTRIBUTE = "nemo.gym.health.check"

# Instruments.
SANDBOX_ACTIVE_INSTRUMENT = "gym.sandbox.active"
SANDBOX_STARTUP_INSTRUMENT = "gym.sandbox.startup_duration_ms"
SANDBOX_EXEC_INSTRUMENT = "gym.sandbox.exec_duration_ms"
SANDBOX_CREATE_RETRY_INSTRUMENT = "gym.sandbox.create_retry_total"
SERVER_STARTUP_STAGE_INSTRUMENT = "gym.server.startup_stage_duration_ms"
HTTP_CONNECTION_POOL_QUEUE_DURATION_INSTRUMENT = "gym.http.connection_pool.queue_duration_ms"
HTTP_CONNECTION_POOL_CONNECT_DURATION_INSTRUMENT = "gym.http.connection_pool.connect_duration_ms"
HTTP_CONNECTION_POOL_CONNECT_INSTRUMENT = "gym.http.connection_pool.connect_total"
ROLLOUT_COMPLETED_INSTRUMENT = "gym.rollout.completed_total"
ROLLOUT_REWARDED_INSTRUMENT = "gym.rollout.rewarded_total"
ROLLOUT_HEALTH_VERDICT_INSTRUMENT = "gym.rollout.health_verdict_total"
ROLLOUT_HEALTH_FLAGGED_INSTRUMENT = "gym.rollout.health_flagged_total"
# The five that the page builds on.
SERVER_REQUEST_DURATION_INSTRUMENT = "gym.server.request_duration_ms"
ROLLOUT_DURATION_INSTRUMENT = "gym.rollout.duration_ms"
VERIFY_DURATION_INSTRUMENT = "gym.verify.duration_ms"
VERIFY_SUCCESS_RATE_INSTRUMENT = "gym.verify.success_rate"
SERVERS_ACTIVE_INSTRUMENT = "gym.servers.active"

# Histogram boundaries in milliseconds; a bucket includes its upper bound.
# fmt: off
SANDBOX_DURATION_BOUNDARIES_MS: tuple[float, ...] = (
    250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000)
SERVER_STARTUP_BOUNDARIES_MS: tuple[float, ...] = (
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    1_200_000, 1_800_000, 3_600_000)
HTTP_CONNECTION_POOL_QUEUE_DURATION_BOUNDARIES_MS: tuple[float, ...] = (
    0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000)
# fmt: on

#: What a failure kind becomes that is neither registered nor of the form ``<server>:<kind>``.
UNREGISTERED_FAILURE_KIND = "unregistered"

#: Instruments of meters, by meter. A meter is kept with them, so that its id is never another's.
_INSTRUMENTS: dict[int, dict[str, Any]] = {}
_INSTRUMENT_LOCK = threading.Lock()
_METERS: dict[int, Any] = {}


def _meter() -> Any:
    """The meter of the handle in force; None unless it is exporting."""
    from .handle import get_telemetry

    try:
        telemetry = get_telemetry()
        if telemetry is None or not telemetry.is_exporting:
            return None
        return telemetry.meter
    except Exception:
        logger.debug("failed to resolve the meter", exc_info=True)
        return None


def _get_or_create(meter: Any, name: str, factory: Callable[[], Any]) -> Any:
    """The instrument of that name on that meter, made by ``factory`` at first use."""
    with _INSTRUMENT_LOCK:
        bucket = _INSTRUMENTS.setdefault(id(meter), {})
        _METERS[id(meter)] = meter
        instrument = bucket.get(name)
        if instrument is None:
            instrument = bucket[name] = factory()
        return instrument


def _record_counter(
    name: str, description: str, attributes: dict[str, Any], amount: int = 1, unit: str = "1"
) -> None:
    meter = _meter()
    if meter is None:
        return
    try:
        instrument = _get_or_create(
            meter, name, lambda: meter.create_counter(name, unit=unit, description=description)
        )
        instrument.add(amount, attributes=attributes)
    except Exception:
        logger.debug("failed to record %s", name, exc_info=True)


def _record_histogram(
    name: str,
    unit: str,
    description: str,
    value: float,
    attributes: dict[str, Any],
    boundaries: Sequence[float] | None = None,
) -> None:
    meter = _meter()
    if meter is None:
        return
    try:
        more: dict[str, Any] = {}
        if boundaries is not None:
            more["explicit_bucket_boundaries_advisory"] = list(boundaries)
        instrument = _get_or_create(
            meter,
            name,
            lambda: meter.create_histogram(name, unit=unit, description=description, **more),
        )
        instrument.record(value, attributes=attributes)
    except Exception:
        logger.debug("failed to record %s", name, exc_info=True)


def _record_up_down_counter(
    name: str, unit: str, description: str, delta: int, attributes: dict[str, Any]
) -> None:
    meter = _meter()
    if meter is None:
        return
    try:
        instrument = _get_or_create(
            meter,
            name,
            lambda: meter.create_up_down_counter(name, unit=unit, description=description),
        )
        instrument.add(delta, attributes=attributes)
    except Exception:
        logger.debug("failed to record %s", name, exc_info=True)


def _reset_for_testing() -> None:
    """Drop cached instruments. Test-only."""
    with _INSTRUMENT_LOCK:
        _INSTRUMENTS.clear()
        _METERS.clear()


def _reward_range(reward: float) -> str:
    """The range of a reward that is not NaN."""
    if reward < 0:
        return "negative"
    if reward == 0:
        return "zero"
    if reward < 1:
        return "partial"
    return "full" if reward == 1 else "above_one"


def _server_attributes(server_name: str, server_type: str | None) -> dict[str, Any]:
    """The type only when it is known."""
    attributes: dict[str, Any] = {SERVER_NAME_ATTRIBUTE: server_name}
    if server_type:
        attributes[SERVER_TYPE_ATTRIBUTE] = server_type
    return attributes


def _is_check_id(text: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9_]*", text) is not None
