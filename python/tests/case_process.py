# SPDX-License-Identifier: Apache-2.0
"""Calls of cases that fork, signal or end the interpreter. For one that a case has to itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from case_values import text
from gym_telemetry import gym_metrics

if TYPE_CHECKING:
    from case_player import Play


def _multiprocessing_fork(play: Play, n: int, each: list[dict[str, Any]]) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=play.play_in_child, args=(each,)) for _ in range(n)]
    for child in children:
        child.start()
    for child in children:
        child.join()


def _sys_exit(play: Play) -> None:
    sys.exit(0)


def _raise_out_of_main(play: Play) -> None:
    raise RuntimeError("nobody catches this")


def _kill_self(play: Play, signal: str, after_ms: int = 0) -> None:  # noqa: A002
    time.sleep(after_ms / 1000)
    os.kill(os.getpid(), _SIGNALS[signal])
    time.sleep(30)  # whoever handles it: main has nothing else to do


def _record_loop_until_signal(play: Play, threads: int, provider: Any) -> None:
    name = text(provider)

    def record_for_ever() -> None:
        while True:
            gym_metrics.record_sandbox_create_retry(provider=name)

    for _ in range(threads):
        threading.Thread(target=record_for_ever, daemon=True).start()


_SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "KILL": signal.SIGKILL}
CALLS: dict[str, Callable[..., None]] = {
    "multiprocessing_fork": _multiprocessing_fork,
    "sys_exit": _sys_exit,
    "raise_out_of_main": _raise_out_of_main,
    "kill_self": _kill_self,
    "record_loop_until_signal": _record_loop_until_signal,
}
