# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: the control that NeMo Gym's tests ran with the drop-in in place."""

import importlib

NAMES = ("gym_metrics", "setup", "_fallbacks", "metrics")


def pytest_sessionfinish(session) -> None:
    import gym_telemetry

    for name in NAMES:
        importlib.import_module("nemo_gym.telemetry." + name)
    in_place = all(gym_telemetry.installed(name) for name in NAMES)
    print(f"\ndrop-in in place: {in_place}")
    if not in_place:
        session.exitstatus = 1
