# SPDX-License-Identifier: Apache-2.0
"""Runs the package's tests in an environment of their own: what `./dev test` calls.

    run_tests.py BUILD [PYTEST ARGS]

BUILD is the build folder, whose package is tested. Exit code 77, with the reason, where the
environment cannot be made.
"""

import pathlib
import subprocess
import sys

from python_environment import main_that_may_skip, provide

HERE = pathlib.Path(__file__).resolve().parent


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    python = provide(build / "python_environment", HERE / "requirements.txt",
                     package=build / "python_package")  # fmt: skip
    command = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *sys.argv[2:]]
    return subprocess.run(command, cwd=HERE.parents[1]).returncode


if __name__ == "__main__":
    main_that_may_skip(main)
