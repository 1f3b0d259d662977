# SPDX-License-Identifier: Apache-2.0
import time

import gym_telemetry
import pytest
from gym_telemetry import startup

SPAWN, DONE, SERVE = (
    "NEMO_GYM_STARTUP_SPAWN_NS",
    "NEMO_GYM_STARTUP_SETUP_DONE_NS",
    "NEMO_GYM_STARTUP_SERVE_NS",
)


def timeline(environment=None, **more):
    return startup.ServerTimeline("math", "resources_servers", environment=environment or {}, **more)


def names(of):
    return [stage.name for stage in of.stages]


def ago(milliseconds):
    return str(time.time_ns() - int(milliseconds * 1e6))


def test_stages_are_contiguous_from_the_spawn_on(telemetry):
    made = timeline({SPAWN: ago(500), DONE: ago(200)})
    made.mark("load_config")
    made.mark("load_config")
    assert names(made) == ["venv_setup", "interpreter_start", "load_config", "load_config"]
    for before, after in zip(made.stages, made.stages[1:], strict=False):
        assert before.end_ns == after.start_ns
    assert made.stages[0].duration_ms == pytest.approx(300, abs=50)


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ({}, []),
        ({SPAWN: "500"}, ["interpreter_start"]),
        ({SPAWN: "500", DONE: "200"}, ["venv_setup", "interpreter_start"]),
        ({SPAWN: "200", DONE: "500"}, ["interpreter_start"]),
        ({SPAWN: "500", DONE: "-500"}, ["interpreter_start"]),
        ({DONE: "200"}, []),
        ({SPAWN: "-60000"}, []),
    ],
)
def test_stamps(stamps, expected):
    environment = {name: ago(float(value)) for name, value in stamps.items()}
    assert names(timeline(environment)) == expected


@pytest.mark.parametrize("text", ["", " ", "x", "-5", "0", "1.5", "9" * 30, "٣"])
def test_a_stamp_that_is_none_is_ignored(text):
    assert names(timeline({SPAWN: text})) == []


def test_a_worker_begins_at_the_hand_off(telemetry):
    environment = {SPAWN: ago(900), SERVE: ago(100)}
    made = timeline(environment, worker=True)
    assert names(made) == ["worker_start"]
    made.report_when_serving()
    made.report()
    points = telemetry()
    assert [p["count"] for p in points] == [1, 1]
    assert all(p["attributes"]["nemo.gym.server.worker"] is True for p in points)
    assert names(timeline({SERVE: ago(-60000)}, worker=True)) == []


def test_reported_once_a_point_a_stage(telemetry):
    made = timeline()
    with made.stage("load_config"):
        pass
    made.report()
    made.mark("late")
    made.report()
    (point,) = telemetry()
    assert point["attributes"] == {
        "nemo.gym.startup.stage": "load_config",
        "nemo.gym.server.name": "math",
        "nemo.gym.server.type": "resources_servers",
        "nemo.gym.server.worker": False,
    }


def test_an_unknown_type_is_left_out(telemetry):
    made = startup.server_timeline("math")
    made.mark("a")
    made.report()
    assert "nemo.gym.server.type" not in telemetry()[0]["attributes"]


def test_a_disabled_one_does_nothing(telemetry):
    made = timeline({SPAWN: ago(500)}, enabled=False)
    made.mark("a")
    made.report_when_serving()
    assert names(made) == [] and telemetry() == []


def test_the_hand_off_is_stamped_only_while_metrics_are_on(telemetry):
    environment = {}
    before = time.time_ns()
    startup.announce_serve(environment)
    assert before <= int(environment[SERVE]) <= time.time_ns()
    gym_telemetry.shutdown()
    environment.clear()
    startup.announce_serve(environment)
    assert environment == {}


def test_a_mark_before_the_last_is_a_stage_of_length_0():
    made = startup.StageTimeline(1000)
    made.mark("a", 3000)
    made.mark("b", 2000)
    made.mark("c", 5000)
    assert [(s.start_ns, s.end_ns) for s in made.stages] == [
        (1000, 3000),
        (3000, 3000),
        (3000, 5000),
    ]
