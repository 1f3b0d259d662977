# SPDX-License-Identifier: Apache-2.0
"""Runs the contenders in rounds and prints one table of medians with ratios.

usage: bench_table.py BIN_DIR [--reps N] [--slices N] [--ms MS] [--lines] [--json FILE]
                      [--check BUDGETS] [--short]

--lines prints ours alone, as the peers' benchmark wants them. --short takes a few seconds and leaves
adopt and prometheus-cpp out. With --check a budget that is missed is measured again, up to three times
in all, since others may use the machine.
"""
import argparse
import json
import pathlib
import platform
import statistics
import sys

from bench_rounds import OURS, Contender, measure, round_of
from bench_rules import check, difference, parse_rule, ratio

WORKS = {
    "W5-1attr": "W5 off, 1 attr",
    "W5-5attr": "W5 off, 5 attrs",
    "empty-loop": "an empty loop",
    "W1": "W1 counter, 1 attr",
    "W2": "W2 counter, 5 attrs",
    "W3": "W3 histogram, 1 attr",
    "W4-counter": "W4 counter, bound",
    "W4-hist": "W4 histogram, bound",
    "W7": "W7 1,000 sets in turn",
    "W1-changing": "W1 sets at random",
    "W2-changing": "W2 sets at random",
    "W3-changing": "W3 sets at random",
    "W8-clock": "W8 two clock reads",
    "W8-exec-clock": "W8 ... and a record",
    "W8-exec": "W8 with our stopwatch",
    "W9": "W9 while collecting",
    "W6-collect": "W6 collect",
    "W6-collect+ser": "W6 ... and encode",
    "W6-bytes-out": "W6 encoded",
    "W6-mem": "W6 a series",
    "W6-mem-after": "W6 ... encoded",
    "W6-mem-threads": "W6 ... by threads",
    "adopt-W1": "adopt: counter",
    "adopt-W3": "adopt: histogram",
    "produce": "MetricProducer",
    "F-fetch_add": "shared fetch_add",
    "F-own-cell": "own cell",
    "F-own-histogram": "own histogram",
    "F-steady_clock": "steady_clock::now",
    "F-arithmetic": "arithmetic alone",
}
MODES = {"1t": "1", "2t-same": "2 same", "2t-diff": "2 other", "10000": "10,000",
         "2000": "2,000", "B/series": "10,000"}
# What of ours a floor is the floor of.
ABOVE = {"F-own-cell": "W4-counter", "F-own-histogram": "W4-hist"}
CONTENDERS = ["gym_bench", "collect_bench", "floor_bench", "otel_bench", "adopt_bench",
              "prometheus_bench"]
NOT_SHORT = ["adopt_bench", "prometheus_bench"]
# The works of the peers' benchmark; the other ones are of this project alone.
PEERS_WORKS = ["W1", "W2", "W3", "W4-counter", "W4-hist", "W5-1attr", "W5-5attr", "W6-mem",
               "W6-collect", "W6-collect+ser", "W6-bytes-out", "W6-mem-after", "W7", "W1-changing",
               "W2-changing", "W3-changing"]


def number(value):
    if value is None:
        return ""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def aligned(rows):
    """Rows of cells as a Markdown table whose columns line up in a terminal too."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) if i < 2 else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(row, widths))) + " |"
             for row in rows]
    lines.insert(1, "| " + " | ".join("-" * w if i < 2 else "-" * (w - 1) + ":"
                                      for i, w in enumerate(widths)) + " |")
    return "\n".join(lines)


def median_of(figures, key, scale=1):
    return number(statistics.median(figures[key]) / scale if key in figures else None)


def to_one_thread(figures, key):
    """Two threads against one, in the same rounds."""
    return number(ratio(figures, key, (*key[:2], "1t")) if key[2].startswith("2t") else None)


def of_peer(figures, peer):
    order = list(WORKS)
    keys = [key for key in figures if key[0] == peer]
    return sorted(keys, key=lambda key: order.index(key[1]) if key[1] in order else len(order))


def our_rows(figures, units):
    for key in of_peer(figures, OURS):
        _, work, mode = key
        unit, scale = units[work], 1
        if work == "W6-bytes-out":
            unit, scale = "kB", 1000
        yield [WORKS.get(work, work) + ("" if unit == "ns" else f" [{unit}]"),
               MODES.get(mode, mode),
               *(median_of(figures, (peer, work, mode), scale)
                 for peer in (OURS, "otel-cpp", "prometheus-cpp")),
               "" if units[work] == "B" else number(ratio(figures, ("otel-cpp", work, mode), key)),
               to_one_thread(figures, key)]


def floor_rows(figures):
    for key in of_peer(figures, "floor"):
        _, work, mode = key
        ours = (OURS, ABOVE.get(work), mode)
        yield [WORKS.get(work, work), MODES.get(mode, mode), median_of(figures, key),
               to_one_thread(figures, key), ABOVE.get(work, ""),
               number(difference(figures, ours, key)), number(ratio(figures, ours, key))]


def table(figures, units):
    """Ours beside the others, nanoseconds an operation where the work names no other unit."""
    ours = [["work", "threads", "ours", "otel", "prom.", "x otel", "x 1"],
            *our_rows(figures, units)]
    floor = [["floor of the machine", "threads", "ns", "x 1", "of ours", "over it", "times"],
             *floor_rows(figures)]
    return (aligned(ours) + "\n\n" + aligned(floor) + "\n\n"
            "ns where nothing else is said. x otel: opentelemetry-cpp against ours; x 1: two\n"
            "threads against one. Both are medians of ratios within rounds: bench/README.md.")


def json_text(figures, units):
    rows = [{"peer": peer, "work": work, "mode": mode, "unit": units[work],
             "median": statistics.median(values),
             "lower_quartile": sorted(values)[len(values) // 4], "all": values}
            for (peer, work, mode), values in figures.items()]
    return json.dumps({"machine": platform.processor() or platform.machine(), "figures": rows},
                      indent=1)


def lines(figures, units):
    for peer, work, mode in of_peer(figures, OURS):
        if work in PEERS_WORKS:
            value = statistics.median(figures[peer, work, mode])
            yield f"{peer}|{work}|{mode}|{value:.3f}|{units[work]}"


def read_rules(path, figures):
    rules = []
    for at, line in enumerate(path.read_text().splitlines(), 1):
        try:
            rule = parse_rule(line)
        except ValueError as error:
            sys.exit(f"{path}:{at}: {error}")
        for key in rule.keys if rule else []:
            if key not in figures:
                sys.exit(f"{path}:{at}: nothing has measured {'|'.join(key)}")
        rules += [rule] if rule else []
    return rules


def check_budgets(path, figures, again):
    """True when all hold; again(rounds) measures the rounds of missed ones once more."""
    missed = check(read_rules(path, figures), figures)
    for _ in range(2):
        if missed:
            figures.update(again({round_of(rule.keys[0][1]) for rule in missed}))
            missed = check(missed, figures)
    print(f"{len(missed)} budgets are missed" if missed else "budgets hold")
    return not missed


def parsed_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--reps", type=int)
    parser.add_argument("--slices", type=int)
    parser.add_argument("--ms", type=float)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    options.reps = options.reps or (3 if options.short else 5)
    options.slices = options.slices or (6 if options.short else 10)
    options.ms = options.ms or (4 if options.short else 6)
    return options


def main():
    options = parsed_options()
    left_out = NOT_SHORT if options.short else []
    contenders = [Contender(options.bin_dir / name, options.ms) for name in CONTENDERS
                  if name not in left_out and (options.bin_dir / name).exists()]
    figures, units = measure(contenders, options.reps, options.slices)
    hold = True
    if options.check:
        hold = check_budgets(
            options.check, figures,
            lambda rounds: measure(contenders, options.reps, options.slices, sorted(rounds))[0])
    for contender in contenders:
        contender.end()
    if options.lines:
        print("\n".join(lines(figures, units)))
    elif not options.check:
        print(table(figures, units))
    if options.json:
        options.json.write_text(json_text(figures, units))
    sys.exit(0 if hold else 1)


if __name__ == "__main__":
    main()
