# SPDX-License-Identifier: Apache-2.0
"""Ratios and differences of figures measured in rounds, and the budgets made of them.

Figures map (peer, work, mode) to values; those with the same index were measured next to each other,
in the same phase of a machine that others use. So A / B is the median of the ratios within the
rounds, not the ratio of the medians, and likewise A - B."""
import dataclasses
import statistics

from bench_rounds import OURS, round_of

SIGNS = {"at-most": "/", "at-least": "/", "at-most-over": "-", "show": "/"}


def ratio(figures, above, below):
    """Median of above / below within the rounds; None where one of them has no figure."""
    pairs = zip(figures.get(above, []), figures.get(below, []))
    ratios = [a / b for a, b in pairs if b > 0]
    return statistics.median(ratios) if ratios else None


def difference(figures, above, below):
    """Median of above - below within the rounds; None where one of them has no figure."""
    differences = [a - b for a, b in zip(figures.get(above, []), figures.get(below, []))]
    return statistics.median(differences) if differences else None


@dataclasses.dataclass
class Rule:
    """One line of the budgets: see bench/budgets.txt."""
    word: str
    limit: float
    keys: list

    def value(self, figures):
        if len(self.keys) == 1:
            return statistics.median(figures[self.keys[0]])
        return (difference if SIGNS[self.word] == "-" else ratio)(figures, *self.keys)

    def holds(self, value):
        if self.word == "show":
            return True
        return value >= self.limit if self.word == "at-least" else value <= self.limit

    def line(self, value):
        """Such as `ok    1.02 at-most 1.3      W1 2t-same / 1t`, within 80 columns."""
        verdict = "" if self.word == "show" else "ok" if self.holds(value) else "MISS"
        limit = "" if self.word == "show" else f" {self.limit:g}"
        return f"{verdict:4} {value:9,.2f}  {self.word + limit:16}  {self.names()}"

    def names(self):
        """The first figure and what of the second is not the same."""
        first = " ".join(part for part in self.keys[0] if part != OURS)
        if len(self.keys) == 1:
            return first
        other = " ".join(b for a, b in zip(*self.keys) if a != b).replace(OURS, "ours")
        return f"{first} {SIGNS[self.word]} {other}"


def parse_rule(text):
    """A Rule, or None for an empty line or a comment. ValueError says what is wrong."""
    word, *rest = text.split("#")[0].split() or [None]
    if word is None:
        return None
    if word not in SIGNS:
        raise ValueError(f"expected one of {', '.join(SIGNS)}, not {word}")
    limit = float("nan") if word == "show" else float(rest.pop(0))
    keys = [tuple(key.split("|")) for key in rest]
    if len(keys) not in ((1, 2) if word in ("at-most", "at-least") else (2,)):
        raise ValueError(f"{word} takes no {len(keys)} figures")
    if any(len(key) != 3 for key in keys):
        raise ValueError("a figure is peer|work|mode")
    if len({round_of(work) for _, work, _ in keys}) != 1:
        raise ValueError("the two are not measured in one round (tools/dev/bench_rounds.py)")
    return Rule(word, limit, keys)


def check(rules, figures):
    """Prints each rule with its value; the rules that do not hold."""
    missed = []
    for rule in rules:
        value = rule.value(figures)
        print(rule.line(value))
        if not rule.holds(value):
            missed.append(rule)
    return missed
