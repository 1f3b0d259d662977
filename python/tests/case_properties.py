# SPDX-License-Identifier: Apache-2.0
"""Properties of cases, as far as this process can see them: tests/cases/data/vocabulary.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from case_values import amount

if TYPE_CHECKING:
    from case_player import Play


def _total(points: list[dict[str, Any]]) -> Any:
    return sum(amount(p) for p in points if not isinstance(amount(p), float))


class PeakMemory:
    """How far the resident set grew at its peak."""

    growth_kib = 0

    def begin(self) -> None:
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")  # the peak begins anew
        self._before_kib = self._kib("VmRSS")

    def end(self) -> None:
        self.growth_kib = self._kib("VmHWM") - self._before_kib

    @staticmethod
    def _kib(name: str) -> int:
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def _bucket_sums(play: Play, _: Any) -> bool:
    return all(
        sum(p["bucket_counts"]) == p["count"]
        for each in play.seen for p in each if p["kind"] == "histogram"
    )  # fmt: skip


def _sums_match(play: Play, _: Any) -> bool:
    return all(
        p["sum"] == 100 * p["bucket_counts"][0] + 700 * p["bucket_counts"][2]
        for each in play.seen for p in each if p["instrument"] == "gym.sandbox.startup_duration_ms"
    )  # fmt: skip


def _overflow(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [p for p in points if p["attributes"] == {"otel.metric.overflow": True}]


def _values(points: list[dict[str, Any]]) -> list[Any]:
    return [v for p in points for v in p["attributes"].values() if isinstance(v, str)]


PROPERTIES: dict[str, Callable[..., bool]] = {
    "series_eq": lambda play, points, n: len(points) == n,
    "series_le": lambda play, points, n: len(points) <= n,
    "series_value": lambda play, points, attributes, n: [n]
    == [amount(p) for p in points if p["attributes"] == attributes],
    "each_value_eq": lambda play, points, n: all(amount(p) == n for p in points),
    "total_value_eq": lambda play, points, n: _total(points) == n,
    "value_eq": lambda play, points, n: [amount(p) for p in points] == [n] or (n, points) == (0, []),
    "count_eq": lambda play, points, n: sum(p["count"] for p in points) == n,
    "final_count_eq": lambda play, points, n: sum(p["count"] for p in points) == n,
    "last_bucket_eq": lambda play, points, n: points[0]["bucket_counts"][-1] == n,
    "overflow_attribute": lambda play, points, key, value: any(
        p["attributes"] == {key: value} for p in points
    ),
    "attribute_absent": lambda play, points, key: all(key not in p["attributes"] for p in points),
    "overflow_value_eq": lambda play, points, n: [n] == [amount(p) for p in _overflow(points)],
    "no_overflow_series": lambda play, points: not _overflow(points),
    "never_negative": lambda play, points: all(
        amount(p) >= 0 for each in play.seen for p in each
    ),
    "no_label_contains": lambda play, points, text: all(text not in v for v in _values(points)),
    "value_length_le": lambda play, points, n: all(
        len(v.encode("utf-8")) <= n for v in _values(points)
    ),
    "bucket_sum_equals_count_in_every_collection": _bucket_sums,
    "sum_matches_buckets_in_every_collection": _sums_match,
    "each_reader_total_eq": lambda play, points, n: all(
        _total([p for p in each if not p["instrument"].startswith("gym.telemetry")]) == n
        for each in play.seen[-play.readers :]
    ),
    "sum_over_meters_le": lambda play, points, n: sum(play.meters.totals) <= n,
    "no_record_in_two_meters": lambda play, points: play.meters.are_within_their_calls(),
    "records_after_last_reinit_all_present": lambda play, points: (
        play.meters.totals[-1] >= play.meters.calls_after_last_init
    ),
    "rss_growth_le_mib": lambda play, points, n: play.memory.growth_kib <= n * 1024,
    "each_meter_total_eq": lambda play, points, n: set(play.meters.totals) == {n},
}  # fmt: skip
#: Left to the driver that started this interpreter, which sees its end and what it sent.
OF_THE_PROCESS = {"exit_code", "exit_within_s", "no_crash", "no_deadlock", "received_total_eq"}
#: Measured by C++ alone: allocations and timings of the engine, its scoped registrations, its wire.
LEFT_TO_CXX = {
    "allocations_eq", "export_stays_parseable", "live_cells_le",
    "no_callback_after_unregister_returned", "ns_per_call_le", "sum_is_inf_or_clamped_and_flagged",
}  # fmt: skip
