# SPDX-License-Identifier: Apache-2.0
"""The drop-in, over a package with the same modules as NeMo Gym's telemetry. What the real one does
under it: tools/dev/nemo_gym.sh."""

import os
import textwrap

import pytest

MODULES = {
    "__init__": "from nemo_gym.telemetry._fallbacks import is_span_group_enabled\n",
    "_fallbacks": """
        NEMO_LENS_AVAILABLE = False
        def is_span_group_enabled(group): return False
        """,
    "gym_metrics": """
        def record_sandbox_active(delta, *, provider): raise AssertionError("theirs")
        def record_of_a_later_version(): return "theirs"
        """,
    "setup": """
        import os
        _TELEMETRY_HANDLE = None
        _INITIALISED = False
        def init_telemetry(server_name=None, server_type=None, resource_attributes=None): return None
        def get_telemetry(): return _TELEMETRY_HANDLE
        def is_metrics_exporter_active(): return False
        def shutdown_telemetry(timeout_ms=5000): pass
        def _reset_for_testing():
            global _INITIALISED
            _INITIALISED = False
        def is_telemetry_env_enabled(): return os.environ.get("NEMO_GYM_OTEL_ENABLED") == "1"
        def _build_resource_attributes(name, kind): return {"nemo.gym.version": "0"}
        def something_else(): return 42
        """,
    "metrics": """
        def record_rollout_duration(duration_ms): return "theirs"
        def record_verify(duration_ms, succeeded): return "theirs"
        def record_active_servers(count): return "theirs"
        """,
}

USE = """
from nemo_gym.telemetry._fallbacks import is_span_group_enabled
from nemo_gym.telemetry.gym_metrics import record_sandbox_active
from nemo_gym.telemetry.metrics import record_verify
from nemo_gym.telemetry import setup
"""

ON = {
    "NEMO_GYM_OTEL_ENABLED": "1",
    "NEMO_GYM_OTEL_EXPORTER": "memory",
    "NEMO_GYM_OTEL_SPAN_GROUPS": "all",
}


@pytest.fixture
def nemo_gym(tmp_path):
    folder = tmp_path / "nemo_gym" / "telemetry"
    folder.mkdir(parents=True)
    (tmp_path / "nemo_gym" / "__init__.py").write_text("")
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return tmp_path


def checked(run_python, code, **variables):
    done = run_python(code, **variables)
    assert done.returncode == 0, done.stderr
    return done


WHOLE = (
    USE
    + """
assert setup.init_telemetry("math", "resources_servers") is not None
assert setup.get_telemetry().is_exporting and setup.is_metrics_exporter_active()
assert setup.something_else() == 42
assert is_span_group_enabled("sandbox") and not is_span_group_enabled("http_client")
record_sandbox_active(1, provider="p")
record_verify(1.0, succeeded=True)
import gym_telemetry
points = {p["instrument"] for p in gym_telemetry.collect()}
assert {"gym.sandbox.active", "gym.verify.success_rate"} <= points, points
assert gym_telemetry.installed() and gym_telemetry.installed("setup")
setup.shutdown_telemetry()
assert setup.get_telemetry() is None
"""
)


def test_the_variable_alone(nemo_gym, run_python):
    checked(run_python, WHOLE, GYM_TELEMETRY="1", **ON)


def test_one_line(nemo_gym, run_python):
    checked(run_python, "import gym_telemetry; gym_telemetry.install()\n" + WHOLE, **ON)


def test_without_either_it_stays_as_it_is(nemo_gym, run_python):
    code = USE + "assert setup.init_telemetry() is None; assert record_verify(1, True) == 'theirs'"
    checked(run_python, code, **ON)


def test_off_is_off(nemo_gym, run_python):
    code = USE + """
assert setup.init_telemetry("x") is None and setup.get_telemetry() is None
record_sandbox_active(1, provider="p")
assert not is_span_group_enabled("sandbox")
assert record_verify(1.0, True) == "theirs"
"""
    checked(run_python, code, GYM_TELEMETRY="1")


def test_a_later_version_s_recorder_is_its_own(nemo_gym, run_python):
    code = "from nemo_gym.telemetry.gym_metrics import record_of_a_later_version as r; assert r()"
    checked(run_python, code, GYM_TELEMETRY="1")
    code = "from nemo_gym.telemetry.gym_metrics import no_such"
    assert "ImportError" in run_python(code, GYM_TELEMETRY="1").stderr


def test_a_handle_put_in_place_takes_the_records(nemo_gym, run_python):
    code = USE + """
class Counter:
    def add(self, amount, attributes=None): seen.append((amount, attributes))
class Meter:
    def create_up_down_counter(self, *a, **k): return Counter()
class Handle:
    is_exporting = True
    meter = Meter()
seen = []
setup._TELEMETRY_HANDLE = Handle()
record_sandbox_active(1, provider="p")
setup._TELEMETRY_HANDLE = None
record_sandbox_active(1, provider="p")
assert seen == [(1, {"nemo.gym.sandbox.provider": "p"})], seen
assert setup.init_telemetry("x") is not None
record_sandbox_active(1, provider="p")
import gym_telemetry
assert [p["value"] for p in gym_telemetry.collect() if "active" in p["instrument"]] == [1]
"""
    checked(run_python, code, GYM_TELEMETRY="1", **ON)


def test_a_server_s_own_environment_is_reached(nemo_gym, run_python):
    # No site packages at all, as a stand-in for an environment without the package.
    code = """
import os, subprocess, sys
import nemo_gym.telemetry.setup
child = "import sys; sys.path.insert(0, %r)\\n" % os.getcwd() + WHOLE
done = subprocess.run([sys.executable, "-c", "import site\\n" + child], text=True,
                      capture_output=True, env={**os.environ, "PYTHONNOUSERSITE": "1"})
assert done.returncode == 0, done.stderr
bare = subprocess.run([sys._base_executable, "-c", child], text=True, capture_output=True)
assert bare.returncode == 0, bare.stderr
""".replace("WHOLE", repr(WHOLE))
    checked(run_python, code, GYM_TELEMETRY="1", **ON)


def test_a_sitecustomize_that_ours_hides_still_runs(nemo_gym, run_python, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import builtins; builtins.theirs = True")
    import gym_telemetry

    ours = os.path.join(os.path.dirname(gym_telemetry.__file__), "_servers")
    code = "import builtins; assert builtins.theirs\n" + WHOLE
    checked(run_python, code, GYM_TELEMETRY="1", PYTHONPATH=f"{ours}:{theirs}", **ON)


def test_a_process_without_nemo_gym_loads_no_module_more(run_python):
    # What it costs in time `./dev bench --python` measures: under 0.2 ms.
    code = "import sys; print(sorted(sys.modules))"
    assert run_python(code, GYM_TELEMETRY="1").stdout == run_python(code).stdout


def test_a_process_without_nemo_gym_loads_nothing(run_python):
    code = """
import sys
assert type(sys.meta_path[0]).__name__ == "GymTelemetryFinder"
assert not [name for name in sys.modules if "gym_telemetry" in name]
"""
    checked(run_python, code, GYM_TELEMETRY="1")
