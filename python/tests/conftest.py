# SPDX-License-Identifier: Apache-2.0
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gym_telemetry
import pytest
from gym_telemetry import _native, handle

Points = dict[tuple[str, frozenset], dict[str, Any]]


def by_series(points: list[dict[str, Any]]) -> Points:
    return {(p["instrument"], frozenset(p["attributes"].items())): p for p in points}


@pytest.fixture
def telemetry() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Telemetry is on, with every span group; the value collects what the project's own
    instruments hold."""
    gym_telemetry.init(
        enabled=True, exporter="memory", span_groups="all", ignore_environment=True
    )

    def collect() -> list[dict[str, Any]]:
        return [p for p in gym_telemetry.collect() if not p["instrument"].startswith("gym.telem")]

    yield collect
    gym_telemetry.shutdown()
    handle.reset_handle()


@pytest.fixture
def complaints(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """What the library has complained about so far. Forgets earlier complaints."""
    caplog.set_level(logging.WARNING, logger="gym_telemetry")
    from gym_telemetry import lifecycle

    _native.set_complaint_handler(lifecycle._complain)  # a new handler has been told nothing yet

    def messages() -> list[str]:
        _native.deliver_complaints()
        return [r.getMessage() for r in caplog.records if r.name.startswith("gym_telemetry")]

    return messages


@pytest.fixture
def run_python(tmp_path: Any) -> Callable[..., subprocess.CompletedProcess]:
    """Runs a program in an interpreter of its own."""

    def run(code: str, timeout: float = 60, **variables: str) -> subprocess.CompletedProcess:
        file = tmp_path / "program.py"
        file.write_text(code)
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("NEMO_", "OTEL_", "GYM_"))
        }
        return subprocess.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**environment, **variables},
            cwd=tmp_path,
        )

    return run
