# SPDX-License-Identifier: Apache-2.0
"""Runs the contenders interleaved and prints one table of medians with ratios.

usage: bench_table.py BIN_DIR [--reps N] [--lines] [--json FILE] [--check BUDGETS] [--short]

--short takes a few seconds and leaves adopt and prometheus-cpp out; with --check a budget that is
missed is measured again, up to three times in all, since others may use the machine.
"""
import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys

OURS = "gym-telemetry"
WORKS = {
    "W1": "W1 counter, 1 attribute",
    "W2": "W2 counter, 5 attributes",
    "W3": "W3 histogram, 12 bounds",
    "W4-counter": "W4 counter, bound",
    "W4-hist": "W4 histogram, bound",
    "W5-1attr": "W5 off, 1 attribute",
    "W5-5attr": "W5 off, 5 attributes",
    "empty-loop": "an empty loop",
    "W6-collect": "W6 collect",
    "W6-collect+ser": "W6 collect, encode",
    "W6-bytes-out": "W6 encoded",
    "W6-mem": "W6 memory a series",
    "W6-mem-threads": "W6 memory a series",
    "W7": "W7 1,000 sets in turn",
    "W1-changing": "W1 sets at random",
    "W2-changing": "W2 sets at random",
    "W3-changing": "W3 sets at random",
    "W8-clock": "W8 two clock reads",
    "W8-exec-clock": "W8 ... and a record",
    "W8-exec": "W8 with our stopwatch",
    "W9": "W9 while collecting",
    "adopt-W1": "adopt: counter",
    "adopt-W3": "adopt: histogram",
    "produce": "MetricProducer",
    "F-fetch_add": "shared fetch_add",
    "F-own-cell": "own cell",
    "F-own-cell-found": "own cell, found",
    "F-arithmetic": "arithmetic alone",
    "F-steady_clock": "steady_clock::now",
    "F-own-histogram": "own histogram",
}
MODES = {"1t": "1 thread", "2t-same": "2, same", "2t-diff": "2, other"}
CONTENDERS = ["gym_bench", "collect_bench", "floor_bench", "otel_bench", "adopt_bench",
              "prometheus_bench"]


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


def aligned(rows):
    """Rows of cells as a Markdown table whose columns line up in a terminal too."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) if i < 2 else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(row, widths))) + " |"
             for row in rows]
    lines.insert(1, "| " + " | ".join("-" * w if i < 2 else "-" * (w - 1) + ":"
                                      for i, w in enumerate(widths)) + " |")
    return "\n".join(lines)


def median_text(values):
    return number(statistics.median(values)) if values else ""


def table(figures, units):
    """Ours beside the others, nanoseconds an operation where the work names no other unit."""
    rows = [["work", "mode", "ours", "otel", "prom.", "x otel"]]
    for peer, work, mode in figures:
        if peer != OURS:
            continue
        unit = "" if units[work] == "ns" else f" [{units[work]}]"
        times = ratio(figures, ("otel-cpp", work, mode), (OURS, work, mode))
        rows.append([WORKS.get(work, work) + unit, MODES.get(mode, mode),
                     *(median_text(figures.get((p, work, mode)))
                       for p in (OURS, "otel-cpp", "prometheus-cpp")),
                     number(times) if times and units[work] != "B" else ""])
    floors = [["floor of the machine", "mode", "ns"]]
    floors += [[WORKS.get(work, work), MODES.get(mode, mode), median_text(values)]
               for (peer, work, mode), values in figures.items() if peer == "floor"]
    return aligned(rows) + "\n\n" + aligned(floors)


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
    left_out = ["adopt_bench", "prometheus_bench"] if options.short else []
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
