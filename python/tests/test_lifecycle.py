# SPDX-License-Identifier: Apache-2.0
import os
import sys

import gym_telemetry
import pytest
from gym_telemetry import gym_metrics as m

MEMORY = {"enabled": True, "exporter": "memory"}


@pytest.fixture(autouse=True)
def end():
    yield
    gym_telemetry.shutdown()


def test_off_unless_enabled():
    assert gym_telemetry.init() is None
    assert gym_telemetry.get_telemetry() is None
    assert gym_telemetry.collect() == []


def test_a_second_init_returns_the_handle_in_force():
    first = gym_telemetry.init(**MEMORY)
    m.record_sandbox_create_retry(provider="p")
    assert gym_telemetry.init(service_name="other", **MEMORY) is first
    assert first.settings["service_name"] == "nemo-gym"
    assert first.is_exporting and gym_telemetry.is_exporting()


def test_a_block_and_keywords_which_win():
    gym_telemetry.init({**MEMORY, "service_name": "block"}, service_name="keyword")
    assert gym_telemetry.effective_settings()["service_name"] == "keyword"


def test_settings_reach_children_and_leave_with_shutdown(monkeypatch):
    monkeypatch.delenv("NEMO_GYM_OTEL_SPAN_GROUPS", raising=False)
    gym_telemetry.init(span_groups="all", **MEMORY)
    assert os.environ["NEMO_GYM_OTEL_SPAN_GROUPS"] == "all"
    assert os.environ["NEMO_GYM_OTEL_RUN_ID"] == gym_telemetry.effective_settings()["run_id"]
    assert gym_telemetry.child_environment()["NEMO_GYM_OTEL_ENABLED"] == "1"
    gym_telemetry.shutdown()
    assert not [name for name in os.environ if name.startswith("NEMO_GYM_OTEL_")]


def test_the_environment_wins_and_stays(monkeypatch):
    monkeypatch.setenv("NEMO_GYM_OTEL_SPAN_GROUPS", "verify")
    gym_telemetry.init(span_groups="all", **MEMORY)
    assert gym_telemetry.is_span_group_enabled("verify")
    assert not gym_telemetry.is_span_group_enabled("sandbox")
    gym_telemetry.shutdown()
    assert os.environ["NEMO_GYM_OTEL_SPAN_GROUPS"] == "verify"


def test_off_sets_no_variable():
    gym_telemetry.init(exporter="memory")
    assert not [name for name in os.environ if name.startswith("NEMO_GYM_OTEL_")]


def test_gates():
    assert not gym_telemetry.metrics_enabled()
    gym_telemetry.init(**MEMORY)
    assert gym_telemetry.metrics_enabled()
    assert gym_telemetry.is_span_group_enabled("rollout")
    assert not gym_telemetry.is_span_group_enabled("no such group")


def test_a_complaint_is_logged(complaints):
    gym_telemetry.init(cardinality_limit="many", **MEMORY)
    assert any("cardinality_limit" in text for text in complaints())


def test_metrics_on_and_sandbox_off_is_said_once(complaints):
    gym_telemetry.init(**MEMORY)
    for _ in range(3):
        assert not gym_telemetry.is_span_group_enabled("sandbox")
    assert len([text for text in complaints() if "sandbox" in text]) == 1


def test_the_module_is_lazy(run_python):
    code = """
import sys, gym_telemetry
assert not [name for name in sys.modules if name.startswith("gym_telemetry.")]
gym_telemetry.init
assert "asyncio" not in sys.modules and "aiohttp" not in sys.modules
assert "multiprocessing" not in sys.modules
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there():
    for name in gym_telemetry.__all__:
        if name == "aiohttp" and "aiohttp" not in sys.modules:
            continue
        assert getattr(gym_telemetry, name) is not None
    with pytest.raises(AttributeError):
        gym_telemetry.no_such_name


@pytest.mark.parametrize("name", ["_native", "_replay"])
def test_thread_local_storage_is_scarce(name):
    """A Python process has about 512 bytes to spare for what it loads, and copies add up."""
    import importlib
    import struct

    file = importlib.import_module(f"gym_telemetry.{name}").__file__
    with open(file, "rb") as elf:
        data = elf.read()
    offset, size, count = (
        *struct.unpack_from("<Q", data, 0x20),
        *struct.unpack_from("<HH", data, 0x36),
    )
    tls = [
        struct.unpack_from("<Q", data, offset + i * size + 0x28)[0]
        for i in range(count)
        if struct.unpack_from("<I", data, offset + i * size)[0] == 7
    ]
    assert sum(tls) <= 64
