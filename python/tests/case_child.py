# SPDX-License-Identifier: Apache-2.0
"""The interpreter that a case of the driver `python` is about: gym_telemetry_cases starts it with
the case in a file, telemetry's settings in the environment, and a file to report to.

Without `given.exporter` the case is played as those of `inproc` are, and the report says how it went.
"""

import json
import os
import time
from typing import Any

import gym_telemetry
from case_player import Play
from case_values import NotPlayed, UnknownWord
from gym_telemetry import _native


class Report:
    """A file of events, to which all processes of the case append."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __call__(self, name: str, text: str = "") -> None:
        flat = text.replace("\n", " ")
        line = f"{os.getpid()} {time.monotonic_ns()} {name} {flat}\n"
        # One write: lines of several processes do not mix.
        os.write(self._file, line.encode("utf-8", "replace"))


class ChildPlay(Play):
    """Reports the begin and the end of each call."""

    def __init__(self, case: dict[str, Any], report: Report) -> None:
        super().__init__(case)
        self.report = report
        self.exports = "exporter" in self.given

    def begin(self) -> None:
        if not self.exports or self.given.get("telemetry") == "meter_raises":
            super().begin()
        elif self.given.get("telemetry") != "none":
            gym_telemetry.init()

    def play(self, calls: list[dict[str, Any]]) -> None:
        for call in calls:
            self.report("begin", call["fn"])
            super().play([call])
            self.report("end", call["fn"])

    def play_in_child(self, calls: list[dict[str, Any]]) -> None:
        super().play(calls)

    def play_process(self) -> None:
        """With an exporter: no shutdown at the end, which is the point of most of these cases."""
        self._check_words()
        self.begin()
        self.play(self.case["calls"])
        exports_to_memory = "memory" in os.environ["NEMO_GYM_OTEL_EXPORTER"]
        self.say(self.compare([self.collect() if exports_to_memory else []]))

    def say(self, wrong: str | None) -> None:
        self.report("failed" if wrong else "passed", wrong or "")


def main() -> None:
    with open(os.environ["GYM_CASES_CASE"], encoding="utf-8", errors="surrogateescape") as file:
        case = json.load(file)
    report = Report(os.environ["GYM_CASES_REPORT"])
    report("version", _native.version)
    play = ChildPlay(case, report)
    try:
        if play.exports:
            play.play_process()
        else:
            play.say(play.run())
    except NotPlayed as reason:
        report("skipped", str(reason))
    except UnknownWord as reason:
        report("failed", f"unknown: {reason}")


if __name__ == "__main__":
    main()
