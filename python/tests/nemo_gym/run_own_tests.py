# SPDX-License-Identifier: Apache-2.0
"""NeMo Gym 0.7.0 from PyPI, unmodified, and its own tests, under the drop-in.

    run_own_tests.py BUILD

Its tests come with its source distribution; the module that they test is the installed one. Each file
must pass with exactly as many tests as it has. Exit code 77, with the reason, where the packages
cannot be had.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from python_environment import main_that_may_skip, pip_for, provide, run  # noqa: E402

VERSION = "0.7.0"
# How many tests each file has.
FILES = {
    "telemetry/test_sandbox_active": 11,
    "telemetry/test_sandbox_create_retry": 3,
    "telemetry/test_sandbox_lifecycle_metrics": 4,
    "telemetry/test_connection_pool": 40,
    "telemetry/test_metrics": 11,
    "telemetry/test_overhead": 4,
    "telemetry/test_config": 45,
    "telemetry/test_memory": 15,
    "test_rollout_outcomes": 20,
    "test_failure_kinds": 20,
}
# Compares two timings with each other: on a machine that others use it gets three tries.
TIMED = "telemetry/test_overhead"


def environments(build):
    """The interpreters of the environment without the SDK, and of the one on top of it."""
    package = build / "python_package"
    below = build / "nemo_gym_environment"
    bare = provide(below, HERE / "requirements.txt", package=package)
    return bare, provide(build / "nemo_gym_test_environment", HERE / "requirements_of_tests.txt",
                         below=below, package=package)  # fmt: skip


def wanted_in_sources(name):
    return "/tests/unit_tests/" in name or name == f"nemo_gym-{VERSION}/pyproject.toml"


def own_tests(python, build):
    """The folder with the tests of the source distribution."""
    folder = build / f"nemo_gym-{VERSION}"
    if not folder.exists():
        # Only the named package from source: what builds it may come as wheels.
        run(*pip_for(python), "download", "-q", "--no-input", "--disable-pip-version-check",
            "--no-deps", "--ignore-requires-python", "--no-binary", "nemo-gym", "-d", build,
            f"nemo-gym=={VERSION}")  # fmt: skip
        partial = build / "nemo_gym_sources"
        with tarfile.open(build / f"nemo_gym-{VERSION}.tar.gz") as archive:
            wanted = [m for m in archive.getmembers() if wanted_in_sources(m.name)]
            archive.extractall(partial, members=wanted, filter="data")
        shutil.move(partial / folder.name, folder)
    return folder


def counts(junit):
    """Passed tests by file."""
    passed = {}
    for case in xml.etree.ElementTree.parse(junit).iter("testcase"):
        # tests.unit_tests.telemetry.test_config.TestClass; the first two depend on where it runs.
        dotted = case.get("classname") + "."
        file = next((f for f in FILES if f.replace("/", ".") + "." in dotted), dotted)
        passed[file] = passed.get(file, 0) + (len(case) == 0)
    return passed


def play(python, folder, junit, files, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NEMO_", "OTEL_"))}
    command = [python, "-m", "pytest", "-q", "--no-header", "-p", "dropin_control",
               "-p", "no:cacheprovider", f"--junitxml={junit}"]  # fmt: skip
    command += [f"tests/unit_tests/{name}.py" for name in files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          env={**environment, "PYTHONPATH": str(HERE), **variables})  # fmt: skip
    return done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def play_all(python, folder, junit):
    """Passed tests by file, and what pytest said last."""
    said = play(python, folder, junit, FILES, GYM_TELEMETRY="1")[1]
    passed = counts(junit) if junit.exists() else {}
    for _ in range(2):
        if passed.get(TIMED) == FILES[TIMED]:
            break
        said = play(python, folder, junit, [TIMED], GYM_TELEMETRY="1")[1]
        passed.update(counts(junit))
    return passed, said


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    _, python = environments(build)
    folder = own_tests(python, build)
    junit = build / "nemo_gym_tests.xml"
    passed, said = play_all(python, folder, junit)
    for name, wanted in FILES.items():
        print(f"{name}: {passed.get(name, 0)} of {wanted} passed")
    if passed != FILES:
        print(said)
        return 1
    print("drop-in in place: yes")
    # The control of the control: without the variable it is not, and that is seen.
    good, said = play(python, folder, junit, ["telemetry/test_config"], GYM_TELEMETRY="")
    if good:
        print("without GYM_TELEMETRY the drop-in is in place as well: the control says nothing")
        return 1
    return 0


if __name__ == "__main__":
    main_that_may_skip(main)
