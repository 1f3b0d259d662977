# SPDX-License-Identifier: Apache-2.0
"""How ./dev bench makes ratios and budgets of its rounds, and how it asks the contenders."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "tools/dev"))
import bench_rounds
import bench_table
from bench_rules import difference, parse_rule, ratio

OURS_1, OURS_2 = ("gym-telemetry", "W1", "1t"), ("gym-telemetry", "W1", "2t-same")
OTEL = ("otel-cpp", "W1", "1t")
# The machine is twice as slow in the last two of five rounds, and one slice was disturbed.
FIGURES = {OURS_1: [4.0, 4.0, 4.0, 8.0, 8.0], OURS_2: [4.4, 44.0, 4.4, 8.8, 8.8],
           OTEL: [40.0, 40.0, 40.0, 60.0, 60.0]}
BINARY = """#!/usr/bin/env python3
import sys
print("gym-telemetry|W1|1t|slice\\n", flush=True)
for line in sys.stdin:
    if line == "gym-telemetry|W1|1t\\n":
        print("gym-telemetry|W1|1t|" + sys.argv[2] + "|ns")
    print(flush=True)
"""


class Fake:
    """A contender that notes what it is asked for."""

    def __init__(self, figures, log):
        self.figures, self.log = figures, log

    def measure(self, figure):
        self.log.append(figure)
        return [f"{figure}|{len(self.log)}|ns"]


def quietly(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        return function(*arguments)


class Rules(unittest.TestCase):
    def test_a_ratio_is_the_median_within_rounds(self):
        self.assertAlmostEqual(ratio(FIGURES, OURS_2, OURS_1), 1.1)
        self.assertAlmostEqual(ratio(FIGURES, OTEL, OURS_1), 10)

    def test_a_difference_is_the_median_within_rounds(self):
        self.assertAlmostEqual(difference(FIGURES, OURS_2, OURS_1), 0.8)

    def test_no_figure_no_ratio(self):
        self.assertIsNone(ratio(FIGURES, OURS_1, ("floor", "W1", "1t")))
        self.assertIsNone(ratio({OURS_1: [1.0], OURS_2: [0.0]}, OURS_1, OURS_2))
        self.assertIsNone(difference(FIGURES, ("floor", "W1", "1t"), OURS_1))

    def test_words(self):
        pair = "gym-telemetry|W1|2t-same gym-telemetry|W1|1t"
        for text, holds in [(f"at-most 1.15 {pair}  # bar", True), (f"at-most 1.05 {pair}", False),
                            (f"at-least 1.05 {pair}", True), (f"at-least 1.15 {pair}", False),
                            (f"at-most-over 0.9 {pair}", True), (f"at-most-over 0.7 {pair}", False),
                            (f"show {pair}", True), ("at-most 4 gym-telemetry|W1|1t", True),
                            ("at-least 5 gym-telemetry|W1|1t", False)]:
            rule = parse_rule(text)
            value = rule.value(FIGURES)
            self.assertEqual(rule.holds(value), holds, text)
            self.assertEqual("MISS" in rule.line(value), not holds, text)

    def test_what_is_no_rule(self):
        self.assertIsNone(parse_rule("  # a comment"))
        for text in ["at-mst 1 a|W1|1t b|W1|1t", "at-most x a|W1|1t b|W1|1t", "at-most 1 a|W1",
                     "at-most-over 1 a|W1|1t", "at-most 1", "at-most 1 a|W1|1t b|W2|1t"]:
            with self.assertRaises(ValueError, msg=text):
                parse_rule(text)

    def test_all_budgets_are_rules(self):
        for line in (root / "bench/budgets.txt").read_text().splitlines():
            rule = parse_rule(line)
            if rule:
                self.assertLessEqual(len(rule.line(12345.67)), 80, line)

    def test_a_missed_budget_is_measured_again(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("at-most 1.05 gym-telemetry|W1|2t-same gym-telemetry|W1|1t\n")
            file.flush()
            asked = []

            def again(rounds, better):
                asked.append(rounds)
                return {OURS_2: [4.0] * 5} if len(asked) == better else {}

            for better, hold in [(2, True), (9, False)]:
                asked.clear()
                self.assertEqual(quietly(bench_table.check_budgets, pathlib.Path(file.name),
                                         dict(FIGURES), lambda r: again(r, better)), hold)
                self.assertEqual(asked, [{bench_rounds.round_of("W1")}] * 2)


class Rounds(unittest.TestCase):
    def test_slices_alternate_and_one_offs_come_once(self):
        log = []
        ours = Fake(["gym-telemetry|W1|1t", "gym-telemetry|W1|2t-same", "gym-telemetry|W9|all"], log)
        otel = Fake(["otel-cpp|W1|1t", "otel-cpp|W2|1t"], log)
        figures, units = quietly(bench_rounds.measure, [ours, otel], 2, 2)
        w1 = ["gym-telemetry|W1|1t", "gym-telemetry|W1|2t-same", "otel-cpp|W1|1t"]
        self.assertEqual(log, 2 * (w1 + w1[::-1] + 2 * ["otel-cpp|W2|1t"] + ["gym-telemetry|W9|all"]))
        self.assertEqual(figures[OURS_1], [1, 6, 10, 15])
        self.assertEqual(figures[OTEL], [3, 4, 12, 13])
        self.assertEqual(units, {"W1": "ns", "W2": "ns", "W9": "ns"})

    def test_some_rounds_alone(self):
        log = []
        ours = Fake(["gym-telemetry|W1|1t", "gym-telemetry|W2|1t"], log)
        quietly(bench_rounds.measure, [ours], 1, 1, [bench_rounds.round_of("W2")])
        self.assertEqual(log, ["gym-telemetry|W2|1t"])

    def test_a_process_answers_and_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "bench"
            binary.write_text(BINARY)
            binary.chmod(0o755)
            contender = bench_rounds.Contender(binary, 6)
            self.assertEqual(contender.figures, ["gym-telemetry|W1|1t"])
            self.assertEqual(contender.measure("gym-telemetry|W1|1t"), ["gym-telemetry|W1|1t|6|ns"])
            with self.assertRaises(SystemExit):
                contender.measure("gym-telemetry|W2|1t")
            contender.end()


class Table(unittest.TestCase):
    def test_columns(self):
        text = bench_table.table({**FIGURES, ("floor", "F-own-cell", "1t"): [0.5] * 5,
                                  ("gym-telemetry", "W4-counter", "1t"): [1.75] * 5},
                                 {"W1": "ns", "F-own-cell": "ns", "W4-counter": "ns"})
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
        self.assertIn(["W1 counter, 1 attr", "2 same", "8.80", "", "", "", "1.10"], cells)
        self.assertIn(["W1 counter, 1 attr", "1", "4.00", "40.0", "", "10.0", ""], cells)
        self.assertIn(["own cell", "1", "0.50", "", "W4-counter", "1.25", "3.50"], cells)

    def test_lines_are_those_of_the_peers(self):
        figures = {OURS_1: [3.0, 1.0, 2.0], OTEL: [9.0], ("gym-telemetry", "W9", "p50"): [40.0]}
        self.assertEqual(list(bench_table.lines(figures, {"W1": "ns", "W9": "ns"})),
                         ["gym-telemetry|W1|1t|2.000|ns"])


unittest.main(argv=sys.argv[:1])
