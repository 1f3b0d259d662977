# SPDX-License-Identifier: Apache-2.0
"""Runs the contenders interleaved and prints one table of medians with ratios.

usage: bench_table.py BIN_DIR [--reps N] [--lines] [--json FILE] [--check BUDGETS] [--short]

--short takes a few seconds and leaves prometheus-cpp out; with --check a budget that is missed is
measured again, up to three times in all, since others may use the machine.
"""
import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys

OURS = "gym-telemetry"
CONTENDERS = ["gym_bench", "collect_bench", "floor_bench", "otel_bench", "prometheus_bench"]


def run(binaries, reps, ms):
    """(peer, work, mode) -> values of each repetition, in order of first appearance."""
    figures, units = {}, {}
    for rep in range(reps):
        for binary in binaries:
            out = subprocess.run([binary], stdout=subprocess.PIPE, text=True, check=True,
                                 env={"BENCH_MS": str(ms)}).stdout
            for line in out.splitlines():
                peer, work, mode, value, unit = line.split("|")
                figures.setdefault((peer, work, mode), []).append(float(value))
                units[work] = unit
        print(f"repetition {rep + 1} of {reps}", file=sys.stderr)
    return figures, units


def ratio(figures, above, below):
    """Median of the ratios within each repetition; None where one has no such figure."""
    if above not in figures or below not in figures:
        return None
    pairs = zip(figures[above], figures[below])
    return statistics.median(a / b for a, b in pairs if b > 0)


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def table(figures, units):
    keys = []
    for _, work, mode in figures:
        if (work, mode) not in keys:
            keys.append((work, mode))
    peers = ["otel-cpp", "prometheus-cpp"]
    lines = [f"| work | mode | {OURS} | otel-cpp | prometheus-cpp | times faster than otel-cpp |",
             "| --- | --- | --- | --- | --- | --- |"]
    for work, mode in keys:
        mine = figures.get((OURS, work, mode))
        if mine is None:
            continue
        cells = [number(statistics.median(mine)) + f" {units[work]}"]
        for peer in peers:
            other = figures.get((peer, work, mode))
            cells.append(number(statistics.median(other)) if other else "")
        times = ratio(figures, ("otel-cpp", work, mode), (OURS, work, mode))
        lines.append(f"| {work} | {mode} | " + " | ".join(cells) +
                     f" | {number(times) if times else ''} |")
    lines += ["", "| floor of the machine | mode | ns |", "| --- | --- | --- |"]
    for (peer, work, mode), values in figures.items():
        if peer == "floor":
            lines.append(f"| {work} | {mode} | {number(statistics.median(values))} |")
    return "\n".join(lines)


def value_of(figures, text):
    peer, work, mode = text.split("|")
    return (peer, work, mode)


def check(figures, path):
    """Each line of the budgets: `at-most LIMIT A B  # why`, a ratio A / B, or `A` alone."""
    failed = 0
    for number_, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        word, limit, *keys = line.split()
        if word not in ("at-most", "at-least") or len(keys) not in (1, 2):
            sys.exit(f"{path}:{number_}: expected `at-most|at-least LIMIT A [B]`")
        keys = [value_of(figures, key) for key in keys]
        if any(key not in figures for key in keys):
            sys.exit(f"{path}:{number_}: nothing measured {keys}")
        got = ratio(figures, *keys) if len(keys) == 2 else statistics.median(figures[keys[0]])
        holds = got <= float(limit) if word == "at-most" else got >= float(limit)
        failed += not holds
        print(f"{'ok  ' if holds else 'MISS'} {word} {limit}: {got:.3f}  "
              + " / ".join("|".join(key) for key in keys))
    print(f"{'budgets hold' if failed == 0 else f'{failed} budgets are missed'}")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--ms", type=int, default=60)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--check")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    if options.short:
        options.reps, options.ms = 3, 15
    left_out = ["prometheus_bench"] if options.short else []
    binaries = [options.bin_dir / c for c in CONTENDERS
                if c not in left_out and (options.bin_dir / c).exists()]
    figures, units = run(binaries, options.reps, options.ms)
    if options.check and options.short:
        for _ in range(2):
            if check(figures, options.check) == 0:
                sys.exit(0)
            figures, units = run(binaries, options.reps, options.ms)
    if options.lines:
        for (peer, work, mode), values in figures.items():
            if peer == OURS:
                print(f"{peer}|{work}|{mode}|{statistics.median(values):.3f}|{units[work]}")
    elif not options.check:
        print(table(figures, units))
    if options.json:
        rows = [{"peer": p, "work": w, "mode": m, "unit": units[w],
                 "median": statistics.median(v), "all": v} for (p, w, m), v in figures.items()]
        pathlib.Path(options.json).write_text(json.dumps(
            {"machine": platform.processor() or platform.machine(), "figures": rows}, indent=1))
    sys.exit(1 if options.check and check(figures, options.check) else 0)


if __name__ == "__main__":
    main()
