# SPDX-License-Identifier: Apache-2.0
"""Makes a Python environment in a folder, once for what is asked of it, and prints its interpreter.

    python_environment.py FOLDER REQUIREMENTS [--below FOLDER] [--package FOLDER] [--project FOLDER]

It holds exactly the packages of the file REQUIREMENTS, from the package index that pip is set up
with, and what the environment `--below` holds. `--package` is a built gym_telemetry, which is copied
in anew each time; `--project` is a source folder, of which pip builds and installs the wheel. Exit
code 77, with the reason, when it cannot be had: no package index, or no pip. Made with the interpreter
that runs this.
"""

import argparse
import fcntl
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import venv

SKIP = 77
NAMES_ONLY = "# names-only: "


class Unavailable(Exception):
    """Why there can be no such environment here."""


def run(*command):
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        last = (made.stderr.strip().splitlines() or ["no message"])[-1]
        raise Unavailable(f"{' '.join(map(str, command[:4]))}...: {last}")


def site_packages(folder):
    variables = {"base": str(folder), "platbase": str(folder)}
    return pathlib.Path(sysconfig.get_path("purelib", "venv", variables))


def pip_for(python):
    """How pip installs into the environment: with its own, or with another one's. Debian keeps
    ensurepip in a package of its own, which some machines have in a broken state."""
    if subprocess.run([python, "-m", "ensurepip"], capture_output=True).returncode == 0:
        return [python, "-m", "pip"]
    for other in ["python3", sys.executable]:
        made = subprocess.run([other, "-m", "pip", "--version"], capture_output=True)
        if made.returncode == 0:
            return [other, "-m", "pip", "--python", python]
    raise Unavailable("there is no pip")


def install_names(requirements, to):
    """Distributions of which only the name and the version are asked for."""
    for line in requirements.read_text().splitlines():
        if line.startswith(NAMES_ONLY):
            name, version = line.removeprefix(NAMES_ONLY).split("==")
            folder = to / f"{name}-{version}.dist-info"
            folder.mkdir()
            text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            (folder / "METADATA").write_text(text)


def make(folder, requirements, below):
    done = folder / "made_of"
    wanted = hashlib.sha256(
        (sys.version + str(below) + requirements.read_text()).encode()
    ).hexdigest()
    if done.exists() and done.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, clear=True, with_pip=False, symlinks=True)
    pip = pip_for(folder / "bin" / "python")
    # The list is whole, so nothing is resolved; and nemo-gym asks for a newer Python than Debian's.
    run(*pip, "install", "-q", "--no-input", "--disable-pip-version-check", "--retries", "2",
        "--no-deps", "--ignore-requires-python", "-r", requirements)  # fmt: skip
    site = site_packages(folder)
    install_names(requirements, site)
    if below:
        (site / "below.pth").write_text(f"{site_packages(below)}\n")
    done.write_text(wanted)


def install_package(package, folder):
    """As `pip install` of the wheel would lay it out."""
    site = site_packages(folder)
    shutil.rmtree(site / "gym_telemetry", ignore_errors=True)
    shutil.copytree(package / "gym_telemetry", site / "gym_telemetry",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    for name in ("gym_telemetry.pth", "_gym_telemetry_finder.py"):
        shutil.copy2(package / name, site / name)


def install_project(project, folder):
    """As a user does it. What a compiler says is an error, not a missing package index."""
    pip = pip_for(folder / "bin" / "python")
    made = subprocess.run([*pip, "install", "-q", "--no-input", "--disable-pip-version-check",
                           "--no-deps", project], capture_output=True, text=True)  # fmt: skip
    if made.returncode == 0:
        return
    if re.search("NewConnectionError|No matching distribution|Temporary failure", made.stderr):
        raise Unavailable(made.stderr.strip().splitlines()[-1])
    raise SystemExit(made.stdout + made.stderr)


def provide(folder, requirements, below=None, package=None, project=None):
    """The interpreter of such an environment. Raises Unavailable."""
    folder, below = folder.resolve(), below and below.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(folder, requirements, below)
        if package:
            install_package(package, folder)
        if project:
            install_project(project, folder)
    return folder / "bin" / "python"


def main_that_may_skip(main):
    """Ends the process with what `main` returns; with 77 and the reason where it lacks an environment."""
    try:
        sys.exit(main())
    except Unavailable as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("requirements", type=pathlib.Path)
    parser.add_argument("--below", type=pathlib.Path)
    parser.add_argument("--package", type=pathlib.Path)
    parser.add_argument("--project", type=pathlib.Path)
    wanted = parser.parse_args()
    try:
        print(provide(**vars(wanted)))
    except Unavailable as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        sys.exit(SKIP)


if __name__ == "__main__":
    main()
