# SPDX-License-Identifier: Apache-2.0
"""The cases of the drivers inproc and python that need no interpreter of their own, through the
Python API. gym_telemetry_cases plays all cases of python, with case_child.py."""

import json
from pathlib import Path

import pytest
import case_process
from case_player import Play
from case_values import NotPlayed

FILE = Path(__file__).resolve().parents[2] / "tests" / "cases" / "data" / "handout.jsonl"


def cases():
    with FILE.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if case["driver"] not in ("inproc", "python") or "exporter" in case["given"]:
                continue
            if not any(call["fn"] in case_process.CALLS for call in case["calls"]):
                yield pytest.param(case, id=case["id"])


@pytest.mark.parametrize("case", list(cases()))
def test_case(case):
    try:
        wrong = Play(case).run()
    except NotPlayed as reason:
        pytest.skip(f"left to the conformance driver: {reason}")
    assert wrong is None, wrong


def test_there_are_cases():
    assert len(list(cases())) > 70
