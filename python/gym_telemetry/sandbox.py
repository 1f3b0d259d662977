# SPDX-License-Identifier: Apache-2.0
"""The call sites of a gym that runs sandboxes, for plain and for asynchronous code.

    with gym_telemetry.sandbox.held("docker", create=lambda: docker.run(image),
                                    release=docker.remove) as box:
        box.exec(lambda handle: docker.exec(handle, command))

    @gym_telemetry.sandbox.timed_exec("docker")
    async def run(command): ...

A ``Sandbox`` times the start, counts +1 when the handle exists, and -1 exactly once when it is
released. A start that fails counts nothing. A release that raises may be tried again: the sandbox
stays counted until one succeeds. A sandbox that was only connected to is never counted. The
provider's own errors go through to the caller.

Gates: start, exec, retry and the +1 ask the span group ``sandbox``; the -1 belongs to its +1.
Source of the rules: the telemetry API page of NVIDIA NeMo Gym.
"""

import asyncio
import functools
import inspect
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from ._native import (
    is_span_group_enabled,
    record_sandbox_active,
    record_sandbox_create_retry,
    record_sandbox_exec_duration,
    record_sandbox_startup,
)

__all__ = [
    "AsyncSandbox",
    "Sandbox",
    "connected",
    "held",
    "held_async",
    "retried",
    "timed_exec",
    "timed_start",
]

logger = logging.getLogger(__package__)

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def _timed(record: Callable[..., None], provider: str) -> Iterator[None]:
    """Records the time of a block that ends without an exception."""
    if not is_span_group_enabled("sandbox"):
        yield
        return
    began = time.perf_counter_ns()
    yield
    record((time.perf_counter_ns() - began) / 1e6, provider=provider)


class _Timer:
    """A ``with`` scope, and a decorator of plain and ``async`` functions."""

    def __init__(self, record: Callable[..., None], provider: str) -> None:
        self._record = record
        self._provider = provider
        self._open: list[Any] = []

    def __enter__(self) -> None:
        scope = _timed(self._record, self._provider)
        scope.__enter__()
        self._open.append(scope)

    def __exit__(self, *what: Any) -> bool | None:
        return self._open.pop().__exit__(*what)

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                with _timed(self._record, self._provider):
                    return await function(*args, **kwargs)

            return run_async  # type: ignore[return-value]

        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            with _timed(self._record, self._provider):
                return function(*args, **kwargs)

        return run


def timed_start(provider: str) -> _Timer:
    """Times one provisioning; one that raises records nothing. Counts no sandbox as held."""
    return _Timer(record_sandbox_startup, provider)


def timed_exec(provider: str) -> _Timer:
    """Times one command in a running sandbox. Returning is having run, whatever the exit code; a
    call that raises records nothing."""
    return _Timer(record_sandbox_exec_duration, provider)


def retried(provider: str) -> None:
    """Counts one create attempt that a provider's own loop retries."""
    if is_span_group_enabled("sandbox"):
        record_sandbox_create_retry(provider=provider)


class _Counted:
    """Whether this sandbox was counted: subtracted once, whoever asks, whenever."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._counted = False
        self._lock = threading.Lock()

    def add(self) -> None:
        if is_span_group_enabled("sandbox"):
            record_sandbox_active(1, provider=self._provider)
            self._counted = True

    def subtract(self) -> None:
        with self._lock:
            counted, self._counted = self._counted, False
        if counted:
            record_sandbox_active(-1, provider=self._provider)


def _report_orphan(provider: str, why: str) -> None:
    logger.warning("a sandbox of provider %r exists and nobody holds it: %s", provider, why)


class _Held:
    """What both forms have in common."""

    def __init__(self, provider: str, release: Callable[..., Any], connects: bool) -> None:
        self.provider = provider
        self.handle: Any = None
        self._release = release
        self._connects = connects
        self._counted = _Counted(provider)
        self._is_held = False
        self._made: str | None = None

    def __bool__(self) -> bool:
        """Whether there is a sandbox that was not released yet."""
        return self._is_held

    def made(self, sandbox_id: str = "") -> None:
        """For ``create``: the provider has made the sandbox, though its handle may yet be lost.
        When ``create`` raises after that, a warning names the provider."""
        self._made = sandbox_id

    def _took(self, handle: Any) -> None:
        self.handle = handle
        self._is_held = True
        if not self._connects:
            self._counted.add()

    def _lost_start(self) -> None:
        if self._made is not None:
            _report_orphan(self.provider, f"its start failed after it was made ({self._made!r})")
        self._made = None

    def _gone(self) -> None:
        self._is_held = False
        self._made = None
        self._counted.subtract()

    def lost(self) -> None:
        """The release failed and cannot be tried again: the sandbox is no longer counted, and a
        warning says that it exists still."""
        if self._is_held:
            self._gone()
            _report_orphan(self.provider, "its release failed for good")

    def _timer(self) -> Any:
        if self._connects:
            return _timed(_record_nothing, self.provider)
        return _timed(record_sandbox_startup, self.provider)


def _record_nothing(duration_ms: float, *, provider: str) -> None: ...


def _accepts_sandbox(create: Callable[..., Any]) -> bool:
    try:
        return len(inspect.signature(create).parameters) == 1
    except (TypeError, ValueError):
        return False


class Sandbox(_Held):
    """One sandbox in plain code. Several threads may release it at once: one does, the others
    wait for it."""

    def __init__(
        self,
        provider: str,
        create: Callable[..., Any],
        release: Callable[[Any], Any],
        connects: bool = False,
    ) -> None:
        super().__init__(provider, release, connects)
        self._create = create
        self._turn = threading.RLock()

    def start(self) -> Any:
        """Runs ``create()``, or ``create(sandbox)`` when it takes an argument. Returns its handle.
        A started sandbox is started again only after its release."""
        with self._turn:
            if self._is_held:
                return self.handle
            try:
                with self._timer():
                    create = self._create
                    handle = create(self) if _accepts_sandbox(create) else create()
            except BaseException:
                self._lost_start()
                raise
            self._took(handle)
            return handle

    def exec(self, work: Callable[[Any], T]) -> T:
        """Runs and times one command: ``work(handle)``."""
        with _timed(record_sandbox_exec_duration, self.provider):
            return work(self.handle)

    def release(self) -> None:
        """Runs ``release(handle)`` unless it was done. What it raises goes to the caller, and the
        sandbox stays held: ``release`` again, or ``lost()``."""
        with self._turn:
            if self._is_held:
                self._release(self.handle)
                self._gone()

    def __enter__(self) -> "Sandbox":
        self.start()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            self.release()
        except BaseException:
            self.lost()  # the scope was the last that could try again
            if error is None:
                raise
            logger.debug("release after an error failed as well", exc_info=True)


class AsyncSandbox(_Held):
    """The same for coroutines. Tasks may release it at once: one does, the others wait."""

    def __init__(
        self,
        provider: str,
        create: Callable[..., Awaitable[Any]],
        release: Callable[[Any], Awaitable[Any]],
        connects: bool = False,
    ) -> None:
        super().__init__(provider, release, connects)
        self._create = create
        self._turn = asyncio.Lock()

    async def start(self) -> Any:
        async with self._turn:
            if self._is_held:
                return self.handle
            try:
                with self._timer():
                    create = self._create
                    handle = await (create(self) if _accepts_sandbox(create) else create())
            except BaseException:
                self._lost_start()
                raise
            self._took(handle)
            return handle

    async def exec(self, work: Callable[[Any], Awaitable[T]]) -> T:
        with _timed(record_sandbox_exec_duration, self.provider):
            return await work(self.handle)

    async def release(self) -> None:
        async with self._turn:
            if self._is_held:
                await self._release(self.handle)
                self._gone()

    async def __aenter__(self) -> "AsyncSandbox":
        await self.start()
        return self

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            await self.release()
        except BaseException:
            self.lost()
            if error is None:
                raise
            logger.debug("release after an error failed as well", exc_info=True)


def held(provider: str, create: Callable[..., Any], release: Callable[[Any], Any]) -> Sandbox:
    """A sandbox for one ``with`` block."""
    return Sandbox(provider, create, release)


def held_async(
    provider: str,
    create: Callable[..., Awaitable[Any]],
    release: Callable[[Any], Awaitable[Any]],
) -> AsyncSandbox:
    """A sandbox for one ``async with`` block."""
    return AsyncSandbox(provider, create, release)


def connected(provider: str, connect: Callable[..., Any], release: Callable[[Any], Any]) -> Sandbox:
    """A sandbox that exists already: neither its start nor its end is recorded or counted here,
    its commands are. ``release`` lets go of the connection."""
    return Sandbox(provider, connect, release, connects=True)
