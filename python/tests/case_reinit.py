# SPDX-License-Identifier: Apache-2.0
"""Calls of cases that shut telemetry down and initialise it again, and what each round held."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from case_values import amount, text
from gym_telemetry import gym_metrics

if TYPE_CHECKING:
    from case_player import Play


class Meters:
    """The rounds of a case: each its total and the calls that may have gone into it."""

    def __init__(self) -> None:
        self.totals: list[int] = []
        self.calls: list[int] = []
        self.calls_after_last_init = 0

    def add(self, points: list[dict[str, Any]], calls: int | None = None) -> None:
        total = sum(amount(p) for p in points)
        self.totals.append(total)
        self.calls.append(total if calls is None else calls)

    def are_within_their_calls(self) -> bool:
        return all(total <= calls for total, calls in zip(self.totals, self.calls, strict=True))


class _Caller(threading.Thread):
    def __init__(self, calls: int, provider: str, last_init_done: threading.Event) -> None:
        super().__init__()
        self.wanted, self.provider, self.last_init_done = calls, provider, last_init_done
        self.begun = self.ended = self.after_last_init = 0

    def run(self) -> None:
        for _ in range(self.wanted):
            self.after_last_init += self.last_init_done.is_set()
            self.begun += 1
            gym_metrics.record_sandbox_create_retry(provider=self.provider)
            self.ended += 1


def record_from_threads(
    play: Play, threads: int, per_thread: int, reinits: int, provider: Any
) -> None:
    last_init_done = threading.Event()
    callers = [_Caller(per_thread, text(provider), last_init_done) for _ in range(threads)]
    for caller in callers:
        caller.start()
    before = 0  # calls that had ended when this round began
    for _ in range(reinits):
        points = play.end()
        play.meters.add(points, sum(caller.begun for caller in callers) - before)
        before = sum(caller.ended for caller in callers)
        play.init()
    last_init_done.set()
    for caller in callers:
        caller.join()
    play.meters.add(play.collect(), sum(caller.begun for caller in callers) - before)
    play.meters.calls_after_last_init = sum(caller.after_last_init for caller in callers)


def loop(play: Play, n: int, free_previous: bool, between: list[dict[str, Any]]) -> None:
    # The engine is the library's own: there is no meter to free.
    play.end()
    for _ in range(n):
        play.init()
        play.play(between)
        points = play.collect()
        play.end()
        play.meters.add(points)
