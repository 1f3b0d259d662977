# SPDX-License-Identifier: Apache-2.0
"""An aiohttp connector that records the pool's instruments.

    connector = gym_telemetry.aiohttp.make_connector(limit=100, limit_per_host=10)
    async with aiohttp.ClientSession(connector=connector) as session:
        with gym_telemetry.aiohttp.destination("policy_model"):
            await session.get(url)

Every ``connect()`` is counted for the destination of the caller's context (``external`` when there
is none), every wait for a slot is timed with the limit that was binding when it began, and every
connection that had to be opened is timed. Telemetry never alters a request, a timeout or a
cancellation.
"""

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import aiohttp

from ._native import (
    metrics_enabled,
    record_http_connection_pool_connect_duration,
    record_http_connection_pool_queue_duration,
    register_http_connection_pool_connect_counter,
)

__all__ = ["TelemetryConnector", "current_destination", "destination", "make_connector"]

logger = logging.getLogger(__package__)

_destination: ContextVar[str] = ContextVar("gym_telemetry_destination", default="external")


class _Counts:
    """Acquisitions by destination. They outlive every connector, since they only ever grow."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}

    def add(self, server_name: str) -> None:
        with self._lock:
            self._counts[server_name] = self._counts.get(server_name, 0) + 1

    def snapshot(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counts)

    def begin_anew(self) -> None:
        """In a forked child, which has asked for no connection yet."""
        self._lock = threading.Lock()
        self._counts = {}


_counts = _Counts()
os.register_at_fork(after_in_child=_counts.begin_anew)


def current_destination() -> str:
    """The server name that the caller's context carries, ``external`` when there is none."""
    return _destination.get()


@contextmanager
def destination(server_name: str) -> Iterator[None]:
    """Names the server that the requests inside are for, retries included. Follows the context:
    tasks made inside inherit it."""
    token = _destination.set(server_name or "external")
    try:
        yield
    finally:
        _destination.reset(token)


class TelemetryConnector(aiohttp.TCPConnector):
    """See the module. Make it by ``make_connector``, which asks the metrics gate first."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        register_http_connection_pool_connect_counter(_counts.snapshot)

    async def connect(self, *args: Any, **kwargs: Any) -> Any:
        _counts.add(_destination.get())
        return await super().connect(*args, **kwargs)

    async def _wait_for_available_connection(self, *args: Any, **kwargs: Any) -> Any:
        constraint = self._binding_limit()
        began = time.perf_counter_ns()
        outcome = "abandoned"
        try:
            result = await super()._wait_for_available_connection(*args, **kwargs)
            outcome = "ok"
            return result
        finally:
            record_http_connection_pool_queue_duration(
                (time.perf_counter_ns() - began) / 1e6,
                queue_constraint=constraint,
                queue_outcome=outcome,
                server_name=_destination.get(),
            )

    async def _create_connection(self, *args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter_ns()
        outcome = "failed"
        try:
            result = await super()._create_connection(*args, **kwargs)
            outcome = "ok"
            return result
        finally:
            record_http_connection_pool_connect_duration(
                (time.perf_counter_ns() - began) / 1e6, outcome, _destination.get()
            )

    def _binding_limit(self) -> str:
        """``total`` when the total limit is exhausted, else ``per_host``; ``unknown`` when this
        aiohttp keeps its slots elsewhere."""
        try:
            limit = self.limit
            if limit and limit - len(self._acquired) <= 0:
                return "total"
            return "per_host"
        except Exception:
            return "unknown"


def make_connector(**settings: Any) -> aiohttp.TCPConnector:
    """The recording connector while metrics are on, else aiohttp's own. Asked once, here."""
    kind = TelemetryConnector if metrics_enabled() else aiohttp.TCPConnector
    return kind(**settings)
