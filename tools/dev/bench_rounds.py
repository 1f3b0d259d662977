# SPDX-License-Identifier: Apache-2.0
"""Measures the contenders in rounds: a slice of a few milliseconds of each figure, one after the
other, again and again. bench/README.md says why."""
import subprocess
import sys

OURS = "gym-telemetry"
# Works whose slices follow one another, so that their ratios and differences are of neighbours.
ROUNDS = [
    ["W5-1attr", "W5-5attr", "empty-loop"],
    ["W1"],
    ["W2"],
    ["W3"],
    ["W4-counter", "F-own-cell"],
    ["W4-hist", "F-own-histogram"],
    ["W7"],
    ["W1-changing"],
    ["W2-changing"],
    ["W3-changing"],
    ["W8-clock", "W8-exec-clock", "W8-exec", "F-steady_clock"],
    ["F-fetch_add", "F-arithmetic"],
    ["adopt-W1"],
    ["adopt-W3"],
]
ONE_OFFS = len(ROUNDS)  # the number of the round of everything else: once a repetition


def round_of(work):
    return next((i for i, works in enumerate(ROUNDS) if work in works), ONE_OFFS)


class Contender:
    """A process that measures what it is asked for and sleeps meanwhile; it ends with its stdin."""

    def __init__(self, binary, ms):
        self.name = binary
        self.process = subprocess.Popen([binary, "--serve", str(ms)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.figures = [line.rpartition("|")[0] for line in self._answer()]

    def measure(self, figure):
        """The lines `peer|work|mode|value|unit` that the figure `peer|work|mode` gives."""
        print(figure, file=self.process.stdin, flush=True)
        lines = self._answer()
        if not lines:
            sys.exit(f"{self.name} does not measure {figure}")
        return lines

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"{self.name} ended with {self.process.returncode}")
        self.process.stdout.close()

    def _answer(self):
        lines = []
        while (line := self.process.stdout.readline()) != "\n":
            if not line:
                sys.exit(f"{self.name} ended with {self.process.wait()}")
            lines.append(line.rstrip("\n"))
        return lines


def in_order(_peer, work, mode):
    """Modes are numbers of series or threads."""
    return work, len(mode), mode


def asked(contenders, number):
    """(contender, figure) of a round; one-offs of the same work and mode follow one another."""
    pairs = [(c, f) for c in contenders for f in c.figures if round_of(f.split("|")[1]) == number]
    if number == ONE_OFFS:
        pairs.sort(key=lambda pair: in_order(*pair[1].split("|")))
    return pairs


def measure(contenders, repetitions, slices, rounds=range(ONE_OFFS + 1)):
    """(peer, work, mode) -> its values, and work -> unit. Values with the same index of figures in
    one round are neighbours."""
    figures, units = {}, {}
    for repetition in range(repetitions):
        for number in rounds:
            pairs = asked(contenders, number)
            for i in range(1 if number == ONE_OFFS else slices):
                # To and fro, so that nobody always follows the same neighbour.
                for contender, figure in pairs if i % 2 == 0 else reversed(pairs):
                    for line in contender.measure(figure):
                        *key, value, unit = line.split("|")
                        figures.setdefault(tuple(key), []).append(float(value))
                        units[key[1]] = unit
        print(f"repetition {repetition + 1} of {repetitions}", file=sys.stderr)
    return figures, units
