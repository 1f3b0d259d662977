# SPDX-License-Identifier: Apache-2.0
"""Compares `gymtel health` with NeMo Gym 0.7.0, byte for byte, over the rows of rows.py.

    compare.py GYMTEL [--work FOLDER] [--reuse] [--first N]

Run by a Python that has nemo-gym 0.7.0. Exit code 0: equal. 1: a difference, shown by its row.
With --reuse the original's files of an earlier run in FOLDER are used again.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import rows  # noqa: E402

FILES = ("quality_summary.json", "rollout_verdicts.jsonl")
# Ignored checks that every file is compared with once more.
IGNORED = ["model_call_failed", "check_execution_error,agent_turn_hollow",
           "record_unreadable", "rollout_duplicate_identity, task_no_successful_model_calls ,"]


def runs():
    """Name, files and ignored checks of each run that is compared."""
    made = dict(rows.files())
    for name, lines in made.items():
        yield name, [lines], []
    everything = [line for name, lines in made.items() if name != "conversations"
                  for line in lines]
    for number, ignored in enumerate(IGNORED):
        yield f"ignored{number}", [everything], [ignored]
    yield "two_files", [made["odd_lines"], made["repeats"]], []
    yield "empty", [[]], []
    yield "one_of_two_empty", [[], made["repeats"]], []


def write_inputs(folder, contents):
    paths = []
    for number, lines in enumerate(contents):
        path = folder / f"in{number}.jsonl"
        path.write_bytes(b"\n".join(lines) + (b"\n" if number % 2 == 0 and lines else b""))
        paths.append(path)
    return paths


def original(paths, folder, ignored):
    from nemo_gym.rollout_health import run_health_checks
    run_health_checks(paths, output_dir=folder, workers=1, ignored_checks=",".join(ignored))


def ours(gymtel, paths, folder, ignored, workers):
    command = [gymtel, "health", "--output", folder, "--workers", str(workers)]
    for checks in ignored:
        command += ["--ignore", checks]
    subprocess.run(command + list(paths), check=True, stdout=subprocess.DEVNULL)


def difference(name, expected, got, inputs):
    if expected == got:
        return None
    for number, (want, have) in enumerate(zip(expected.split(b"\n"), got.split(b"\n"))):
        if want != have:
            source = b""
            if name == FILES[1]:
                source = source_of(want, inputs)
            return f"line {number + 1}\n  original {want[:1500]!r}\n  ours     {have[:1500]!r}\n" \
                   f"  row      {source[:3000]!r}"
    return "one file is longer than the other"


def source_of(verdict, inputs):
    """The row that a verdict is about, by its identity, for the rows that have one each."""
    import orjson
    wanted = orjson.loads(verdict)
    for path in inputs:
        for line in path.read_bytes().split(b"\n"):
            try:
                row = orjson.loads(line)
                if (row["_ng_task_index"], row["_ng_rollout_index"]) == (
                        wanted["_ng_task_index"], wanted["_ng_rollout_index"]):
                    return line
            except (ValueError, KeyError, TypeError):
                continue
    return b"?"


def compare(gymtel, work, reuse):
    count = 0
    failures = 0
    for name, contents, ignored in runs():
        folder = work / name
        (folder / "original").mkdir(parents=True, exist_ok=True)
        inputs = write_inputs(folder, contents)
        count += sum(len(lines) for lines in contents)
        if not (reuse and (folder / "original" / FILES[1]).exists()):
            original(inputs, folder / "original", ignored)
        ours(gymtel, inputs, folder / "ours", ignored, 1 + len(name) % 3)
        for file in FILES:
            found = difference(file, (folder / "original" / file).read_bytes(),
                               (folder / "ours" / file).read_bytes(), inputs)
            if found:
                failures += 1
                print(f"{name}/{file}: {found}")
    print(f"{count} rows compared, {failures} files differ")
    return failures == 0


def compare_refusals(gymtel, work):
    failures = 0
    for number, (name, lines) in enumerate(rows.refused()):
        folder = work / f"refused{number}"
        folder.mkdir(parents=True, exist_ok=True)
        inputs = write_inputs(folder, [lines])
        try:
            original(inputs, folder / "original", [])
            print(f"refused {name}: the original makes a report")
            failures += 1
        except Exception:  # of any kind: pydantic's, orjson's
            pass
        made = subprocess.run([gymtel, "health", "--output", folder / "ours", *inputs],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if made.returncode != 2 or (folder / "ours" / FILES[0]).exists():
            print(f"refused {name}: gymtel makes a report")
            failures += 1
    return failures == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gymtel")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--reuse", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = arguments.work or pathlib.Path(scratch)
        equal = compare(arguments.gymtel, work, arguments.reuse)
        return 0 if compare_refusals(arguments.gymtel, work) and equal else 1


if __name__ == "__main__":
    sys.exit(main())
