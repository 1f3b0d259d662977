# SPDX-License-Identifier: Apache-2.0
"""Which handle is in force: the library's own, somebody else's, or none."""

import logging
import threading
from typing import Any

from . import _native

logger = logging.getLogger(__package__)


class Telemetry:
    """The library's own handle. There is one a process; what ``init`` returns is this object."""

    @property
    def is_exporting(self) -> bool:
        """Whether telemetry is on and has somewhere to export to."""
        return _native.is_exporting()

    @property
    def meter(self) -> Any:
        """An object with the instrument functions of an OpenTelemetry meter, for code that wants
        one: what is recorded to an instrument of the table reaches the engine."""
        from .meter import METER

        return METER

    @property
    def settings(self) -> dict[str, str]:
        """The settings in force, or of the last init, as texts."""
        return _native.effective_settings()

    def flush(self, timeout_ms: int = 5000) -> bool:
        """Exports now and waits for the answer; true when every exporter answered with success."""
        from .lifecycle import flush

        return flush(timeout_ms)

    def shutdown(self, timeout_ms: int | None = None) -> bool:
        """Exports for the last time. A second call does nothing."""
        from .lifecycle import shutdown

        return shutdown(timeout_ms)


class _Adopted:
    """A handle over providers that somebody else owns. Its end leaves them alone."""

    is_exporting = True

    def __init__(self, meter: Any, tracer: Any) -> None:
        self.meter = meter
        self.tracer = tracer

    def flush(self, timeout_ms: int = 5000) -> bool:
        return True

    def shutdown(self, timeout_ms: int | None = None) -> bool:
        if get_telemetry() is self:
            reset_handle()
        return True


OWN = Telemetry()

_lock = threading.Lock()
#: What was set. ``_DEFAULT``: the library's own handle while it exports, else none.
_DEFAULT = object()
_handle: Any = _DEFAULT


def get_telemetry() -> Any:
    """The handle in force, or None."""
    if _handle is _DEFAULT:
        return OWN if _native.is_exporting() else None
    return _handle


def set_handle(handle: Any) -> None:
    """Puts any object with ``is_exporting`` and ``meter`` in force, or None: nothing is recorded."""
    global _handle
    with _lock:
        _handle = handle
        if handle is OWN:
            _native.set_route("engine")
        elif handle is None:
            _native.set_route("nowhere")
        else:
            from .foreign import record

            _native.set_route("foreign", record)


def reset_handle() -> None:
    """Back to the library's own handle."""
    global _handle
    with _lock:
        _handle = _DEFAULT
        _native.set_route("engine")


def is_foreign() -> bool:
    """Whether the handle in force is somebody else's."""
    return _handle is not _DEFAULT and _handle is not None and _handle is not OWN


def adopt(meter_provider: Any = None, tracer_provider: Any = None) -> Any:
    """Records into providers that somebody else owns, an application's own OpenTelemetry, until
    ``shutdown``, which leaves them alone. Without arguments: the global providers of the
    ``opentelemetry`` package. Returns the handle."""
    if meter_provider is None:
        from opentelemetry import metrics

        meter_provider = metrics.get_meter_provider()
    meter = meter_provider.get_meter("gym_telemetry")
    tracer = tracer_provider.get_tracer("gym_telemetry") if tracer_provider is not None else None
    adopted = _Adopted(meter, tracer)
    set_handle(adopted)
    return adopted
