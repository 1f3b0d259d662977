# SPDX-License-Identifier: Apache-2.0
"""The meter of the library's own handle: OpenTelemetry's instrument functions over the engine.

It carries the instruments of the table (docs/instruments.md) and no others: an instrument of
another name takes values and keeps none, and is logged once.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from . import _native

logger = logging.getLogger(__package__)

_complained: set[str] = set()


class Instrument:
    """Whatever kind: the table knows it. Never raises."""

    def __init__(self, name: str) -> None:
        self.name = name

    def _take(self, value: float, attributes: Any = None, context: Any = None) -> None:
        try:
            given = dict(attributes) if attributes else None
            if not _native.record_by_name(self.name, value, given):
                self._complain()
        except Exception:
            logger.debug("could not record %s", self.name, exc_info=True)

    add = record = set = _take

    def _complain(self) -> None:
        if self.name not in _complained:
            _complained.add(self.name)
            logger.warning("no instrument of the table takes what is recorded to %s", self.name)


class Meter:
    """Has the functions of ``opentelemetry.metrics.Meter`` that synchronous code calls."""

    name = "gym_telemetry"

    def create_counter(self, name: str, unit: str = "", description: str = "") -> Instrument:
        return Instrument(name)

    def create_up_down_counter(
        self, name: str, unit: str = "", description: str = ""
    ) -> Instrument:
        return Instrument(name)

    def create_gauge(self, name: str, unit: str = "", description: str = "") -> Instrument:
        return Instrument(name)

    def create_histogram(
        self,
        name: str,
        unit: str = "",
        description: str = "",
        *,
        explicit_bucket_boundaries_advisory: Sequence[float] | None = None,
    ) -> Instrument:
        return Instrument(name)

    def create_observable_counter(
        self,
        name: str,
        callbacks: Sequence[Callable[..., Any]] | None = None,
        unit: str = "",
        description: str = "",
    ) -> Instrument:
        """Callbacks are not asked: ``register_http_connection_pool_connect_counter`` has a form
        of its own."""
        return Instrument(name)

    create_observable_up_down_counter = create_observable_gauge = create_observable_counter


METER = Meter()
