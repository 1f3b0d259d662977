# SPDX-License-Identifier: Apache-2.0
"""Init, shutdown and what lies between; the ends of interpreters and of child processes."""

import atexit
import json
import logging
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

from . import _native, handle
from ._native import is_exporting, is_span_group_enabled, metrics_enabled

__all__ = [
    "child_environment",
    "collect",
    "effective_settings",
    "flush",
    "init",
    "is_exporting",
    "is_span_group_enabled",
    "metrics_enabled",
    "shutdown",
]

logger = logging.getLogger(__package__)

_lock = threading.RLock()
#: Variables that init has set for processes that this one starts, and their values.
_handed_on: dict[str, str] = {}


def _entries(block: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(str(key), json.dumps(value, default=str)) for key, value in block.items()]


def init(
    block: Mapping[str, Any] | None = None,
    *,
    resource_attributes: Mapping[str, str] | None = None,
    ignore_environment: bool = False,
    memory_readers: int = 1,
    memory_temporality: str = "cumulative",
    **settings: Any,
) -> handle.Telemetry | None:
    """Starts telemetry, unless it is disabled, misconfigured or running already.

    ``block`` is the ``telemetry:`` mapping of a gym's configuration; settings may be given as
    keywords too, which win over it. Environment variables win over both (docs/configuration.md).
    Returns the handle, or None while telemetry is off. A second call while telemetry is on returns
    the handle in force. Problems are logged (logger ``gym_telemetry``) and never raise.

    Sets the effective settings in ``os.environ`` for the processes that this one starts.
    """
    with _lock:
        if handle.is_foreign():
            return handle.get_telemetry()
        if not is_exporting():
            merged = {**(block or {}), **settings}
            resource = [(str(k), str(v)) for k, v in (resource_attributes or {}).items()]
            delta = memory_temporality == "delta"
            arguments = (_entries(merged), ignore_environment, memory_readers, delta, resource)
            try:
                # Before the export thread starts: setting variables is unsafe beside it.
                if not ignore_environment:
                    _hand_on(_native.environment_of(*arguments))
                _native.init(*arguments)
            except (RuntimeError, ValueError, UnicodeError, MemoryError):
                logger.warning("telemetry stays off", exc_info=True)
            _native.deliver_complaints()
        if not is_exporting():
            _take_back()
            return None
        handle.reset_handle()
        _prepare_child_end()
        return handle.OWN


def shutdown(timeout_ms: int | None = None) -> bool:
    """Collects and exports for the last time, and ends telemetry. Waits at most ``timeout_ms``, or
    the configured ``shutdown_timeout_ms``. True when nothing was left unsent. A handle of
    somebody else's is let go and left running."""
    if handle.is_foreign():
        handle.reset_handle()
    sent = _native.shutdown(-1 if timeout_ms is None else timeout_ms)
    _native.deliver_complaints()
    _take_back()
    return sent


def flush(timeout_ms: int = 5000) -> bool:
    """Collects and exports now; true when every exporter answered with success in time."""
    sent = _native.flush(timeout_ms)
    _native.deliver_complaints()
    return sent


def collect(reader: int = 0) -> list[dict[str, Any]]:
    """What a reader of the memory exporter sees now (``init(exporter="memory")``): one dict a
    point, for tests and tools."""
    return _native.collect(reader)


def effective_settings() -> dict[str, str]:
    """Every setting as environment, block and defaults resolved it, as texts."""
    return _native.effective_settings()


def child_environment() -> dict[str, str]:
    """What a process about to be started must find in its environment so that it agrees with this
    one. ``init`` has put it into ``os.environ`` already."""
    return {**_handed_on, **_native.child_environment()} if is_exporting() else {}


def _hand_on(variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        if not os.environ.get(name, "").strip():
            os.environ[name] = value
            _handed_on[name] = value


def _take_back() -> None:
    """A later init must not take for the user's what an earlier one has set."""
    for name, value in _handed_on.items():
        if os.environ.get(name) == value:
            del os.environ[name]
    _handed_on.clear()


# Ends. Registered when this module is loaded, early, so that it runs late: what other exit handlers
# record is sent. In a child of multiprocessing that was forked, exit handlers do not run at all;
# its own finalizers do.


def _at_exit() -> None:
    _native.shutdown(-1)
    _native.close()


def _complain(cause: str, message: str) -> None:
    logger.warning("%s (%s)", message, cause)


def _prepare_child_end() -> None:
    """In a child of multiprocessing: the last interval is sent before it ends."""
    util = sys.modules.get("multiprocessing.util")
    process = sys.modules.get("multiprocessing.process")
    if util is None or process is None or process.parent_process() is None:
        return
    _register_finalizer()


def _register_finalizer(_owner: object = None) -> None:
    util = sys.modules["multiprocessing.util"]
    # Last of all, after the application's own finalizers and its children's ends.
    util.Finalize(None, _native.shutdown, exitpriority=-1000)


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.RLock()
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        # multiprocessing forgets all finalizers in its child, then runs what is registered so.
        util.register_after_fork(handle.OWN, _register_finalizer)


_native.set_complaint_handler(_complain)
atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork_in_child)
