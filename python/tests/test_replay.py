# SPDX-License-Identifier: Apache-2.0
import gzip
from pathlib import Path

import gym_telemetry
import pytest
from gym_telemetry import gym_metrics as m

ROLLOUTS = Path(__file__).resolve().parents[2] / "examples" / "rollouts"


def total(points, instrument):
    return sum(p["value"] for p in points if p["instrument"] == instrument)


def test_real_rollouts():
    files = sorted(ROLLOUTS.glob("*.jsonl"))
    points = gym_telemetry.replay(files, health=False)
    lines = sum(1 for f in files for line in f.read_text().splitlines() if line.strip())
    assert points.rows + points.rows_rejected == lines and points.files == len(files)
    assert total(points, m.ROLLOUT_COMPLETED_INSTRUMENT) == points.rows
    table = points.flat()
    assert {"instrument", "value", "outcome", "dispatch_name"} <= set(table[0])


def test_a_run_with_its_failures(tmp_path):
    (tmp_path / "run.jsonl").write_bytes(
        gzip.compress(b'{"reward": 1.0, "agent_ref": {"name": "env"}}\n' * 3)
    )
    (tmp_path / "run_failures.jsonl").write_text('{"_ng_failure_class": "agent_timeout"}\n')
    points = gym_telemetry.replay(tmp_path / "run.jsonl", health=False)
    outcomes = {
        p["attributes"][m.ROLLOUT_OUTCOME_ATTRIBUTE]: p["value"]
        for p in points
        if p["instrument"] == m.ROLLOUT_COMPLETED_INSTRUMENT
    }
    assert outcomes == {"scored": 3, "failed": 1}


def test_the_process_s_own_telemetry_is_left_alone(telemetry):
    m.record_sandbox_create_retry(provider="p")
    points = gym_telemetry.replay(ROLLOUTS / "wordle.jsonl")
    assert points and [p["instrument"] for p in telemetry()] == ["gym.sandbox.create_retry_total"]


def test_more_files_than_the_process_may_open(tmp_path, run_python):
    for i in range(100):
        (tmp_path / f"r{i}.jsonl").write_text('{"reward": 1.0}\n')
    done = run_python(
        "import glob, os, resource, gym_telemetry\n"
        "gym_telemetry.replay('r0.jsonl')  # all that is loaded late is loaded\n"
        "few = len(os.listdir('/proc/self/fd')) + 10\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))\n"
        "points = gym_telemetry.replay(glob.glob('r*.jsonl'))\n"
        "assert resource.getrlimit(resource.RLIMIT_NOFILE) == (few, few)\n"
        "print(points.rows, points.files)\n"
    )
    assert (done.stdout, done.stderr) == ("100 100\n", "")


def test_no_file():
    with pytest.raises(FileNotFoundError):
        gym_telemetry.replay("no-such-file.jsonl")
