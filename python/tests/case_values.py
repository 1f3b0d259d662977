# SPDX-License-Identifier: Apache-2.0
"""The value forms of the case file, and comparison of points: tests/cases/data/vocabulary.md."""

import base64
import math
from typing import Any


class NotPlayed(Exception):
    """The case asks for something that the Python package does not carry."""


class UnknownWord(Exception):
    """A word or form that this driver does not know: a failure, never a skip."""


def number(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"$f"}:
            return -0.0 if value["$f"] == "-0" else float(value["$f"])
        if set(value) == {"$big"}:
            return int(value["$big"])
        raise UnknownWord(f"number form {value}")
    return value


def text(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) == {"$bytes"}:
        return base64.b64decode(value["$bytes"]).decode("utf-8", "surrogateescape")
    if set(value) == {"$repeat"}:
        part, times = value["$repeat"]
        return text(part) * times
    if set(value) == {"$concat"}:
        return "".join(text(part) for part in value["$concat"])
    raise UnknownWord(f"text form {value}")


def checks(value: Any) -> Any:
    if isinstance(value, list):
        return [text(item) for item in value]

    def once() -> Any:
        yield from (text(item) for item in value["$once"])
        if value.get("$raises_at_end"):
            raise RuntimeError("the iterable raises at its end")

    if set(value) - {"$once", "$raises_at_end"}:
        raise UnknownWord(f"checks form {value}")
    return once()


_NUMBERS = {"delta", "duration_ms", "reward", "count"}


def argument(name: str, value: Any) -> Any:
    if name == "flagged_checks":
        return checks(value)
    if name in _NUMBERS:
        return number(value)
    if isinstance(value, dict):
        return text(value)
    return value


def same(wanted: Any, got: Any, tolerance: float = 0) -> bool:
    wanted = number(wanted)
    if isinstance(wanted, float) and math.isnan(wanted):
        return math.isnan(got)
    return abs(got - wanted) <= tolerance if tolerance else got == wanted


def is_same_point(wanted: dict[str, Any], got: dict[str, Any], tolerance: float) -> bool:
    attributes = {text(k): text(v) for k, v in wanted["attributes"].items()}
    if (wanted["instrument"], wanted["kind"]) != (got["instrument"], got["kind"]):
        return False
    theirs = got["attributes"]
    if attributes != theirs or any(type(v) is not type(theirs[k]) for k, v in attributes.items()):
        return False
    for field, value in wanted.items():
        if field in ("instrument", "kind", "attributes"):
            continue
        if field in ("value", "count"):
            ok = same(value, got[field])
        elif field in ("sum", "min", "max"):
            # Minimum and maximum may be left out of a delta.
            ok = field != "sum" and field not in got or same(value, got[field], tolerance)
        elif field in ("bounds", "bucket_counts"):
            ok = [number(v) for v in value] == got[field]
        elif field == "sum_gt":
            ok = got["sum"] > number(value)
        elif field == "sum_ge":
            ok = got["sum"] >= number(value)
        elif field == "sum_le":
            ok = got["sum"] <= number(value)
        else:
            raise UnknownWord(f"point field {field}")
        if not ok:
            return False
    return True


def difference(
    wanted: list[dict[str, Any]], got: list[dict[str, Any]], tolerance: float
) -> str | None:
    """None when each point has its match and none is left over."""
    left = list(got)
    for point in wanted:
        match = next((p for p in left if is_same_point(point, p, tolerance)), None)
        if match is None:
            return f"no point is {point}; left are {left}"
        left.remove(match)
    return f"not expected: {left}" if left else None


def amount(point: dict[str, Any]) -> Any:
    return point.get("value", point.get("count"))
