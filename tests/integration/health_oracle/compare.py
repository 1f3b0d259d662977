# SPDX-License-Identifier: Apache-2.0
"""Compares our health report with that of NeMo Gym 0.7.0, byte for byte, over the rows of rows.py.

    compare.py PROGRAM [--work FOLDER]

PROGRAM is `gymtel health`, or what takes its options. Run by a Python that has nemo-gym 0.7.0.
Exit code 0: equal. 1: a difference, shown with its row. The original's files of an earlier run in
FOLDER are used again where neither the rows nor anything of the original have changed.
"""

import argparse
import hashlib
import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import original  # noqa: E402
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


def run_original(paths, folder, ignored):
    original.load().run_health_checks(paths, output_dir=folder, workers=1,
                                      ignored_checks=",".join(ignored))


def made_of(paths, ignored):
    """A digest of all that the original's files come from."""
    packages = ("nemo-gym", "openai", "orjson", "pydantic", "pydantic-core")
    versions = [sys.version, *(importlib.metadata.version(name) for name in packages)]
    names = [str(path) for path in paths]  # a verdict may name its file
    digest = hashlib.sha256(repr((versions, ignored, names)).encode())
    for path in [pathlib.Path(original.__file__), pathlib.Path(__file__), *paths]:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def provide_original(paths, folder, ignored):
    stamp, wanted = folder / "made_of", made_of(paths, ignored)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    run_original(paths, folder, ignored)
    stamp.write_text(wanted)


def run_ours(program, paths, folder, ignored, workers):
    command = [*program, "--output", folder, "--workers", str(workers)]
    for checks in ignored:
        command += ["--ignore", checks]
    return subprocess.run(command + list(paths), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=300)


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


def prepare(work):
    """Writes inputs and the original's files; gives name, folder, inputs and checks of each run."""
    prepared = []
    for name, contents, ignored in runs():
        folder = work / name
        (folder / "original").mkdir(parents=True, exist_ok=True)
        inputs = write_inputs(folder, contents)
        provide_original(inputs, folder / "original", ignored)
        prepared.append((name, folder, inputs, ignored))
    return prepared


def differences(program, prepared):
    """What differs, run by run."""
    for name, folder, inputs, ignored in prepared:
        made = run_ours(program, inputs, folder / "ours", ignored, 1 + len(name) % 3)
        if made.returncode != 0:
            yield f"{name}: exit code {made.returncode}: {made.stderr.decode()}"
            continue
        for file in FILES:
            found = difference(file, (folder / "original" / file).read_bytes(),
                               (folder / "ours" / file).read_bytes(), inputs)
            if found:
                yield f"{name}/{file}: {found}"


def compare(program, work):
    prepared = prepare(work)
    found = list(differences(program, prepared))
    print("\n".join(found))
    count = sum(path.read_bytes().count(b"\n") for _, _, inputs, _ in prepared
                for path in inputs)
    print(f"{count} rows compared, {len(found)} files differ")
    return not found


def compare_refusals(program, work):
    failures = 0
    for number, (name, lines) in enumerate(rows.refused()):
        folder = work / f"refused{number}"
        folder.mkdir(parents=True, exist_ok=True)
        inputs = write_inputs(folder, [lines])
        try:
            run_original(inputs, folder / "original", [])
            print(f"refused {name}: the original makes a report")
            failures += 1
        except Exception:  # of any kind: pydantic's, orjson's
            pass
        made = run_ours(program, inputs, folder / "ours", [], 1)
        if made.returncode != 2 or (folder / "ours" / FILES[0]).exists():
            print(f"refused {name}: ours makes a report")
            failures += 1
    return failures == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="+")
    parser.add_argument("--work", type=pathlib.Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # pydantic's, on values that it cannot write as declared
    with tempfile.TemporaryDirectory() as scratch:
        work = arguments.work or pathlib.Path(scratch)
        equal = compare(arguments.program, work)
        return 0 if compare_refusals(arguments.program, work) and equal else 1


if __name__ == "__main__":
    sys.exit(main())
