# SPDX-License-Identifier: Apache-2.0
"""Makes a Python environment with nemo-gym 0.7.0 in FOLDER, once, and prints its interpreter.

    environment.py FOLDER

Exit code 77, with the reason, when that cannot be had: no package index, or no pip. An interpreter
that has nemo-gym already can be named by GYM_TELEMETRY_HEALTH_PYTHON.
"""

import os
import pathlib
import subprocess
import sys
import venv

SKIP = 77
NEMO_GYM = "nemo-gym==0.7.0"


def run(*command):
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        last = (made.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"skipped: {' '.join(map(str, command[:5]))}...: {last}", file=sys.stderr)
        sys.exit(SKIP)


def pip_of(python):
    """How pip is called for the new environment: its own, or another one's where it has none."""
    if subprocess.run([python, "-m", "ensurepip"], capture_output=True).returncode == 0:
        return [python, "-m", "pip"]
    for candidate in ["python3", sys.executable]:
        if subprocess.run([candidate, "-m", "pip", "--version"],
                          capture_output=True).returncode == 0:
            return [candidate, "-m", "pip", "--python", python]
    print("skipped: there is no pip", file=sys.stderr)
    sys.exit(SKIP)


def make(folder):
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        venv.create(folder, clear=True, with_pip=False)
        pip = pip_of(python)
        requirements = pathlib.Path(__file__).with_name("requirements.txt")
        run(*pip, "install", "-q", "--no-input", "-r", requirements)
        run(*pip, "install", "-q", "--no-input", "--no-deps", "--ignore-requires-python", NEMO_GYM)
        done.touch()
    return python


def main():
    named = os.environ.get("GYM_TELEMETRY_HEALTH_PYTHON")
    print(named or make(pathlib.Path(sys.argv[1])))


if __name__ == "__main__":
    main()
