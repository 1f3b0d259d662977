# SPDX-License-Identifier: Apache-2.0
"""`health` against what `gymtel health` writes and prints. That this is what NeMo Gym writes,
health_oracle.compare proves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gym_telemetry
import pytest

ROOT = Path(__file__).resolve().parents[2]
ROLLOUTS = sorted((ROOT / "examples" / "rollouts").glob("*.jsonl"))
GYMTEL = Path(os.environ.get("GYM_TELEMETRY_GYMTEL", ROOT / "build" / "bin" / "gymtel"))


def row(task, rollout, status=200, **more):
    """A saved row with one model call."""
    call = {
        "model_call_id": "c0",
        "started_at": 1.0,
        "response": {"output_text": "text"},
        "response_metadata": {"status_code": status, "finish_reason": "stop"},
        "token_stats": {"prompt_tokens": 10, "completion_tokens": 5},
    }
    identity = {"task_id": str(task), "rollout_id": f"{task}-{rollout}"}
    turn = {
        "invocation_id": "i0", "turn_no": 1, "timestamp": 1.0, "step_count": 1, "answer": "text",
        "model_calls": [{"model_call_id": "c0"}], **identity,
    }  # fmt: skip
    trajectory = {
        "schema_version": "1.0",
        **identity,
        "invocations": [
            {"kind": "agent_invocation", "invocation_id": "i0", "model_calls": []}
        ],
        "turns": [turn],
        "model_calls": [call],
        "gaps": [],
    }
    usage = {"usage": {"input_tokens": 10, "output_tokens": 5}}
    return {
        "_ng_task_index": task, "_ng_rollout_index": rollout, "agent_ref": {"name": "env"},
        "reward": 1.0, "response": usage, "ng_trajectory": trajectory, **more,
    }  # fmt: skip


@pytest.fixture
def run_file(tmp_path):
    rows = [row(0, 0), row(0, 1, status=500), row(1, 0), row(1, 1, ng_trajectory=None)]
    file = tmp_path / "rollouts.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return file


def test_the_rows_of_a_run(run_file):
    report = gym_telemetry.health(run_file)
    verdicts = {each["rollout_id"]: each["verdict"] for each in report.verdicts}
    assert verdicts == {
        "0-0": "healthy", "0-1": "unhealthy", "1-0": "healthy", "1-1": "unobserved",
    }  # fmt: skip
    (bad,) = (each for each in report.verdicts if each["verdict"] == "unhealthy")
    assert "model_call_failed" in {finding["check"] for finding in bad["findings"]}
    assert report.summary["run"]["artifacts"]["records"] == 4
    assert str(report).startswith("1 of 4 rollouts unhealthy: ")
    # Nothing was asked to be written.
    assert report.summary_path is None and sorted(run_file.parent.iterdir()) == [run_file]
    assert "Quality summary:" not in report.text


def test_ignored_checks(run_file):
    checks = {finding["check"] for each in gym_telemetry.health(run_file).verdicts
              for finding in each["findings"]}  # fmt: skip
    report = gym_telemetry.health(run_file, ignored_checks=sorted(checks))
    assert not any(each["findings"] for each in report.verdicts)
    assert report.summary["run"]["ignored_checks"] == sorted(checks)
    with pytest.raises(ValueError, match="no_such_check"):
        gym_telemetry.health(run_file, ignored_checks=["no_such_check"])


@pytest.mark.skipif(not GYMTEL.exists(), reason="gymtel is not built")
@pytest.mark.parametrize("workers", [1, 3])
def test_as_gymtel_writes_it(run_file, tmp_path, workers):
    files = [*ROLLOUTS, run_file]
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    done = subprocess.run([GYMTEL, "health", "--output", theirs, *files], capture_output=True,
                          text=True, check=True)  # fmt: skip
    report = gym_telemetry.health(files, output_folder=ours, workers=workers)
    for name in ("quality_summary.json", "rollout_verdicts.jsonl"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()
    assert report.text == done.stdout.replace(str(theirs), str(ours))
    assert report.summary == json.loads((theirs / "quality_summary.json").read_text())
    lines = (theirs / "rollout_verdicts.jsonl").read_text().splitlines()
    assert report.verdicts == [json.loads(line) for line in lines]
    assert report.summary_path == ours / "quality_summary.json"
    assert report.verdicts_path == ours / "rollout_verdicts.jsonl"


def test_what_cannot_be_reported(tmp_path, run_file):
    with pytest.raises(FileNotFoundError):
        gym_telemetry.health(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match="no files"):
        gym_telemetry.health([])
    with pytest.raises(ValueError, match="workers"):
        gym_telemetry.health(run_file, workers=0)
    # An index that is neither integer nor text makes the report fail, as NeMo Gym's does.
    run_file.write_text(json.dumps(row(0, 0) | {"_ng_task_index": [1]}) + "\n")
    with pytest.raises(ValueError, match="rollouts.jsonl"):
        gym_telemetry.health(run_file)


def test_the_process_s_own_telemetry_is_left_alone(telemetry, run_file):
    gym_telemetry.health(run_file)
    assert telemetry() == []


def test_it_is_loaded_when_it_is_used():
    code = "import sys, gym_telemetry; assert 'gym_telemetry._replay' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
