# SPDX-License-Identifier: Apache-2.0
"""Startup timelines of servers: one histogram point a stage, recorded once by the process that ran
it.

    timeline = gym_telemetry.startup.server_timeline("math", "resources_servers")
    config = load_config()
    timeline.mark("load_config")
    ...
    timeline.mark("uvicorn_startup")    # connections are accepted
    timeline.report()

Stages are contiguous: they add up to the time from the process's start until it serves. The stages
before this process's own code come from stamps in the environment (docs/python.md). A timeline
that is disabled, or made while metrics are off, records nothing, stamps nothing and costs a call.
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass

from ._native import metrics_enabled, record_server_startup_stage

__all__ = ["ServerTimeline", "Stage", "StageTimeline", "announce_serve", "server_timeline"]

SPAWN_VARIABLE = "NEMO_GYM_STARTUP_SPAWN_NS"
SETUP_DONE_VARIABLE = "NEMO_GYM_STARTUP_SETUP_DONE_NS"
SERVE_VARIABLE = "NEMO_GYM_STARTUP_SERVE_NS"


@dataclass(frozen=True)
class Stage:
    """One stage, in nanoseconds since the epoch (of a bare timeline: of its clock)."""

    name: str
    start_ns: int
    end_ns: int

    @property
    def duration_ms(self) -> float:
        return (self.end_ns - self.start_ns) / 1e6


class StageTimeline:
    """Starts at a time and is extended by marks: each closes the stage that began at the one
    before. A repeated name is a second stage. Any thread."""

    def __init__(self, start_ns: int) -> None:
        self._stages: list[Stage] = []
        self._end_ns = start_ns
        self._lock = threading.Lock()

    @property
    def stages(self) -> tuple[Stage, ...]:
        with self._lock:
            return tuple(self._stages)

    def mark(self, name: str, at_ns: int) -> None:
        """Closes the stage at that time; one before the last mark makes a stage of length 0."""
        with self._lock:
            end = max(at_ns, self._end_ns)
            self._stages.append(Stage(name, self._end_ns, end))
            self._end_ns = end


def _stamp(environment: Mapping[str, str], name: str) -> int | None:
    """A stamp that is missing, no integer or not positive is none."""
    text = environment.get(name, "").strip()
    if not text.isascii() or not text.isdigit():
        return None
    value = int(text)
    return value if 0 < value < 2**63 else None


def _stages_before(
    entered_ns: int, worker: bool, environment: Mapping[str, str]
) -> list[tuple[str, int, int]]:
    """The stages before this process entered its own code, as differences of wall-clock stamps."""
    if worker:
        serve = _stamp(environment, SERVE_VARIABLE)
        return [("worker_start", serve, entered_ns)] if serve and serve <= entered_ns else []
    spawn = _stamp(environment, SPAWN_VARIABLE)
    if spawn is None or spawn > entered_ns:
        return []
    done = _stamp(environment, SETUP_DONE_VARIABLE)
    if done is None or not spawn <= done <= entered_ns:
        return [("interpreter_start", spawn, entered_ns)]
    return [("venv_setup", spawn, done), ("interpreter_start", done, entered_ns)]


class ServerTimeline:
    """The timeline of this process, a server's or a worker's. Never raises."""

    def __init__(
        self,
        server_name: str,
        server_type: str | None = None,
        *,
        worker: bool = False,
        enabled: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.server_name = server_name
        self.server_type = server_type
        self.worker = worker
        self.enabled = enabled
        self._reported = False
        self._lock = threading.Lock()
        # Own marks are steady-clock times anchored at the entry, so that a step of the wall clock
        # while the server starts is no stage.
        entered_wall_ns = time.time_ns()
        self._anchor_ns = entered_wall_ns - time.monotonic_ns()
        self._timeline = StageTimeline(entered_wall_ns)
        if enabled:
            before = _stages_before(
                entered_wall_ns, worker, os.environ if environment is None else environment
            )
            if before:
                self._timeline = StageTimeline(before[0][1])
            for name, _, end_ns in before:
                self._timeline.mark(name, end_ns)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self._timeline.stages if self.enabled else ()

    def mark(self, stage: str) -> None:
        """Closes a stage now."""
        if self.enabled and not self._reported:
            self._timeline.mark(stage, self._anchor_ns + time.monotonic_ns())

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A block as a stage. It begins where the stage before ended."""
        try:
            yield
        finally:
            self.mark(name)

    def report(self) -> None:
        """Records one point a stage, once however often it is called."""
        with self._lock:
            if self._reported or not self.enabled:
                return
            self._reported = True
        if not metrics_enabled():
            return
        for stage in self._timeline.stages:
            record_server_startup_stage(
                stage.duration_ms, stage.name, self.server_name, self.server_type, self.worker
            )

    def report_when_serving(self) -> None:
        """For an ASGI server's startup event: the last stage, then the report."""
        self.mark("uvicorn_startup")
        self.report()


def server_timeline(
    server_name: str, server_type: str | None = None, *, worker: bool = False, enabled: bool = True
) -> ServerTimeline:
    """The timeline of this process, entered now."""
    return ServerTimeline(server_name, server_type, worker=worker, enabled=enabled)


def announce_serve(environment: MutableMapping[str, str] | None = None) -> None:
    """In the main process of a server with several workers, just before it hands off to the web
    server: its workers' timelines begin there. Nothing while metrics are off."""
    if metrics_enabled():
        target = os.environ if environment is None else environment
        target[SERVE_VARIABLE] = str(time.time_ns())
