# SPDX-License-Identifier: Apache-2.0
"""The cases of the drivers inproc and python that need no child, through the Python API."""

import json
from pathlib import Path

import pytest
from case_player import NotPlayed, Play

FILE = Path(__file__).resolve().parents[2] / "tests" / "cases" / "data" / "handout.jsonl"


def cases():
    with FILE.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if case["driver"] in ("inproc", "python") and "exporter" not in case["given"]:
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
