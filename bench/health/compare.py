# SPDX-License-Identifier: Apache-2.0
"""Runs both reports over the same rows, one after the other, and holds the bars: compare.py BUILD.

Exit code 1 when a bar is missed. Without NeMo Gym (no package index) only our own figures."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ORACLE = HERE.parents[1] / "tests/integration/health_oracle"
FACTOR = 20
BYTES_A_ROW = 300
# Name, rows, model calls a row, kB a row.
KINDS = [("1 call, 6 kB", 8000, 1, 6), ("3 calls, 9 kB", 6000, 3, 9), ("8 calls, 40 kB", 1500, 8, 40)]


def figures(*command):
    made = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    lines = [line.split("|") for line in made.stdout.splitlines() if line.count("|") == 4]
    return {mode: float(value) for _, _, mode, value, _ in lines}


def interpreter(build):
    made = subprocess.run([sys.executable, ORACLE / "environment.py",
                           build / "health_oracle_environment"], capture_output=True, text=True)
    if made.returncode != 0:
        print(made.stderr.strip())
        return None
    return made.stdout.strip()


def write_rows(path, count, calls, kilobytes):
    subprocess.run([sys.executable, HERE / "rows.py", path, str(count), str(calls),
                    str(kilobytes)], check=True)


def speed(bench, python, folder):
    met = True
    print(f"{'rows':<16}{'ours/s':>10}{'GB/s':>7}{'NeMo Gym/s':>12}{'factor':>8}")
    for name, count, calls, kilobytes in KINDS:
        path = folder / "rows.jsonl"
        write_rows(path, count, calls, kilobytes)
        ours = figures(bench, folder, path)
        line = f"{name:<16}{ours['rows_per_second']:>10,.0f}{ours['gb_per_second']:>7.2f}"
        if python:
            theirs = figures(python, "-W", "ignore", HERE / "original_speed.py", ORACLE, folder,
                             path)
            factor = ours["rows_per_second"] / theirs["rows_per_second"]
            met = met and factor >= FACTOR
            line += f"{theirs['rows_per_second']:>12,.0f}{factor:>7.1f}x"
        print(line)
    return met


def memory(bench, folder):
    small, large = folder / "small.jsonl", folder / "large.jsonl"
    write_rows(small, 4000, 1, 6)
    write_rows(large, 16000, 1, 6)
    grown = (figures(bench, folder, large)["peak_memory"] -
             figures(bench, folder, small)["peak_memory"]) * 2**20 / 12000
    print(f"memory: {grown:.0f} bytes a row of 6 kB more")
    return grown <= BYTES_A_ROW


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    bench = build / "bin/health_bench"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        fast = speed(bench, interpreter(build), folder)
        return 0 if memory(bench, folder) and fast else 1


if __name__ == "__main__":
    sys.exit(main())
