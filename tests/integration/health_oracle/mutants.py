# SPDX-License-Identifier: Apache-2.0
"""Breaks each check once, in its source, and sees that the comparison notices.

    mutants.py BUILD [--work FOLDER] [--only NAME] [--all]

Each mutant is one file of src/health with a few words changed, compiled as the build compiles it
and linked into report_program in front of the library. Exit code 1 when a mutant lives, or when
its words are no longer in the source. With --all also what the checks stand on is broken: shapes,
conversions, depths, orders.
"""

import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import compare  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Name, file, what stands there, what stands there instead.
CHECKS = [
    ("check_execution_error", "rollout_checks.cpp", '.text("error", exception)',
     '.text("error", "Exception")'),
    ("record_unreadable", "row_evaluation.cpp", "if (error_ != trajectory_error::none &&",
     "if (error_ == trajectory_error::validation_error &&"),
    ("rollout_duplicate_identity", "report_reduce.cpp", "if (copies < 2) return;",
     "if (copies < 3) return;"),
    ("rollout_missing_agent_turns", "rollout_checks.cpp", "if (!active)",
     "if (!active && !facts_.turns.empty())"),
    ("rollout_ended_on_failed_model_call", "model_chains.cpp", "return chain.all_started && ",
     "return "),
    ("agent_turn_hollow", "rollout_checks.cpp",
     "if (!content.message && content.tool_call == presence::no)", "if (!content.message)"),
    ("model_call_zero_completion_tokens", "rollout_checks.cpp", "== wide_integer{0}",
     "== wide_integer{5}"),
    ("model_call_missing_token_counts", "rollout_checks.cpp",
     "if (call.prompt_tokens && call.completion_tokens) continue;",
     "if (call.prompt_tokens || call.completion_tokens) continue;"),
    ("trajectory_capture_mismatch", "rollout_checks.cpp",
     "if (kind.empty() || known(kind, label)) continue;", "if (kind.empty()) continue;"),
    ("model_call_failed", "rollout_checks.cpp", "terminal = view.complete() && ",
     "terminal = !view.complete() && "),
    ("rollout_token_count_mismatch", "rollout_checks.cpp", "*usage.prompt == prompt && ",
     "*usage.prompt == prompt || "),
    ("model_call_runaway_generation", "rollout_checks.cpp", ' || finish == "max_tokens"', ""),
    ("task_consistently_unhealthy", "report_reduce.cpp", "judged >= 2", "judged >= 1"),
    ("task_no_successful_model_calls", "report_reduce.cpp", "successful == 0", "successful <= 1"),
]
FOUNDATIONS = [
    ("ignored checks", "row_evaluation.cpp",
     "if (!ignored_.has(check_id::check_execution_error))", ""),
    ("gap of the turns", "row_evaluation.cpp", 'if (found.code == "turns_unavailable")',
     'if (found.code == "turns_missing")'),
    ("reference that disagrees", "call_views.cpp", "entry.hits = agrees ? 1 : 0;",
     "entry.hits = 1;"),
    ("shape of an item", "schema_text.hpp", "in_progress|completed|generating|failed",
     "in_progress|completed|failed"),
    ("closed shape", "schema_text.hpp", "gap: #gap !{", "gap: #gap {"),
    ("conversion", "conversions.cpp", "std::fabs(number) >= 0x1p63", "std::fabs(number) > 0x1p63"),
    ("depth", "row_reader.cpp", "max_nesting = 1024", "max_nesting = 1023"),
    ("levels of an item", "trajectory.cpp", "item_levels_max = 254", "item_levels_max = 255"),
    ("order of tasks", "report_reduce.cpp", "return a.task.as_text() < b.task.as_text();",
     "return compare(a.task, b.task) < 0;"),
]


def users_of(file):
    """The source files that are compiled anew for a changed file."""
    if file.endswith(".cpp"):
        return [file]
    return [path.name for path in sorted((ROOT / "src/health").glob("*.cpp"))
            if f'"health/{file}"' in path.read_text()]


def compile_commands(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    return {pathlib.Path(entry["file"]).name: entry for entry in commands
            if pathlib.Path(entry["file"]).parent == ROOT / "src/health"}


def compile_mutant(entry, source, include, into):
    words = shlex.split(entry["command"])
    if words[0].endswith("ccache"):
        words = words[1:]
    words[words.index("-o") + 1] = str(into)
    words[words.index("-c") + 1] = str(source)
    words[1:1] = [f"-I{include}"]
    # A mutant may leave a parameter unused; and it runs once, so compiling it is what costs.
    words += ["-O0", "-g0", "-Wno-error"]
    launcher = ["ccache"] if shutil.which("ccache") else []
    subprocess.run(launcher + words, check=True, cwd=entry["directory"])
    return words[0]


def build_mutant(build, commands, mutant, folder):
    """The program with one file changed; None when the words are not there."""
    _, file, old, new = mutant
    text = (ROOT / "src/health" / file).read_text()
    if text.count(old) != 1:
        return None
    (folder / "health").mkdir(parents=True, exist_ok=True)
    changed = folder / "health" / file
    changed.write_text(text.replace(old, new))
    objects = []
    compiler = None
    for user in users_of(file):
        source = changed if user == file else ROOT / "src/health" / user
        objects.append(folder / f"{user}.o")
        compiler = compile_mutant(commands[user], source, folder, objects[-1])
    program = folder / "report_program"
    link = (build / "health_oracle_link.txt").read_text().split()
    subprocess.run([compiler, "-o", program, *objects, *link], check=True)
    changed.unlink()
    return [program]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    commands = compile_commands(arguments.build)
    mutants = CHECKS + (FOUNDATIONS if arguments.all or arguments.only else [])
    if arguments.only:
        mutants = [mutant for mutant in mutants if mutant[0] == arguments.only]
    alive = []
    with tempfile.TemporaryDirectory() as scratch:
        work = (arguments.work or pathlib.Path(scratch)).resolve()
        prepared = compare.prepare(work)
        # Small files first: most mutants die on them.
        prepared.sort(key=lambda run: sum(path.stat().st_size for path in run[2]))
        for mutant in mutants:
            # The same folder each time: ccache then knows a mutant of an unchanged source.
            program = build_mutant(arguments.build, commands, mutant, work / "mutant" / mutant[0])
            if program is None:
                print(f"{mutant[0]}: not in the source once: {mutant[2]}")
                alive.append(mutant[0])
                continue
            found = next(compare.differences(program, prepared), None)
            print(f"{mutant[0]}: {'noticed in ' + found.split(':')[0] if found else 'LIVES'}",
                  flush=True)
            if not found:
                alive.append(mutant[0])
    print(f"{len(mutants)} mutants, {len(alive)} alive")
    return 1 if alive or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
