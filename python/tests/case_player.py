# SPDX-License-Identifier: Apache-2.0
"""Plays cases of the drivers `inproc` and `python` through the package, in this process.

Calls and properties that need the C++ library's own surface (a scoped registration, a hash for
tests, its memory) are left to the conformance driver with their name. That one plays the cases of
`python` as well: each in an interpreter of its own, with case_child.py, and a collector.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import case_process
import case_reinit
import gym_telemetry
from case_properties import LEFT_TO_CXX as PROPERTIES_LEFT_TO_CXX
from case_properties import OF_THE_PROCESS, PROPERTIES, PeakMemory
from case_values import NotPlayed, UnknownWord, argument, difference, number, text
from gym_telemetry import _native, gym_metrics, handle

#: Bits of the engine's gates, by span group.
GATES = {"span_group_http_client": 2, "span_group_rollout": 3, "span_group_sandbox": 7,
         "span_group_startup": 8}
KNOWN_EXPECTATIONS = {
    "points", "points_by_meter", "sum_tolerance", "absent", "unit", "dropped_measurements",
    "unknown_values", "no_error_reaches_caller", "properties", "note", "monotonic",
    "instruments_created",
}  # fmt: skip


class Snapshot:
    """What the registered callback returns now."""

    def __init__(self) -> None:
        self.form: Any = {}

    def __call__(self) -> dict[str, int]:
        form = self.form
        if "$raises" in form:
            raise RuntimeError("the snapshot raises")
        if "$sleep_ms" in form:
            time.sleep(form["$sleep_ms"] / 1000)
        if "$calls" in form:
            getattr(gym_metrics, form["$calls"])(provider="inside")
        if any(key.startswith("$") for key in form):
            form = form.get("value", {})
        return {name: number(count) for name, count in form.items()}


class Play:
    """One case, from its init to its last collection."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.given = case["given"]
        self.expect = case["expect"]
        self.snapshot = Snapshot()
        self.errors: list[BaseException] = []
        self.seen: list[list[dict[str, Any]]] = []
        self.by_meter: dict[str, list[dict[str, Any]]] = {}
        self.begun_meters: dict[str, list[dict[str, Any]]] = {}
        self.meter = ""
        self.readers = self.given.get("readers", 1)
        self.is_shut_down = False
        self.meters = case_reinit.Meters()
        self.memory = PeakMemory()

    def run(self) -> str | None:
        """What is wrong, or None. Raises NotPlayed."""
        self._check_words()
        try:
            self.begin()
            self.memory.begin()
            self.play(self.case["calls"])
            self.memory.end()
            last = [self.collect(reader) for reader in range(self.readers)]
            return self.compare(last)
        finally:
            gym_telemetry.shutdown()
            handle.reset_handle()

    def _check_words(self) -> None:
        if unknown := set(self.expect) - KNOWN_EXPECTATIONS:
            raise UnknownWord(f"expectations {unknown}")
        for wanted in self.expect.get("properties", ()):
            if wanted["check"] in PROPERTIES_LEFT_TO_CXX:
                raise NotPlayed(wanted["check"])

    def play(self, calls: list[dict[str, Any]]) -> None:
        for call in calls:
            name, args, times = call["fn"], call.get("args", {}), call.get("repeat", 1)
            if name in SPECIAL or name not in vars(gym_metrics):
                for _ in range(times):
                    self._call(name, args)
            elif times > 1000:  # arguments of so many calls are made once
                arguments = {key: argument(key, value) for key, value in args.items()}
                for _ in range(times):
                    self._recorder(name, arguments)
            else:
                for _ in range(times):
                    self._recorder(name, {key: argument(key, v) for key, v in args.items()})

    def play_in_child(self, calls: list[dict[str, Any]]) -> None:
        """In a forked process."""
        self.play(calls)

    def begin(self) -> None:
        state = self.given.get("telemetry", "exporting")
        if state == "meter_raises":
            handle.set_handle(_RaisingHandle())
            return
        if state == "none":
            return
        if "hash" in self.given:
            raise NotPlayed("a hash for tests")
        self.init(enabled=state != "initialised_not_exporting")
        gates = _native.gates_for_tests()
        for key, bit in GATES.items():
            if key in self.given:
                gates = gates | 1 << bit if self.given[key] else gates & ~(1 << bit)
        if _native.is_exporting():
            _native.set_gates_for_tests(gates)

    def init(self, enabled: bool = True) -> None:
        gym_telemetry.init(
            enabled=enabled,
            exporter="memory",
            span_groups="all",
            cardinality_limit=self.given.get("cardinality_limit", 2000),
            ignore_environment=True,
            memory_readers=self.readers,
            memory_temporality=self.given.get("temporality", "cumulative"),
        )

    def collect(self, reader: int = 0) -> list[dict[str, Any]]:
        """After a shutdown: what that collected."""
        points = _native.collect(reader, self.is_shut_down)
        self.seen.append(points)
        return [p for p in points if not p["instrument"].startswith("gym.telemetry.")]

    def _call(self, name: str, args: dict[str, Any]) -> None:
        if name not in SPECIAL:
            raise NotPlayed(name) if name in LEFT_TO_CXX else UnknownWord(name)
        SPECIAL[name](self, **args)

    def _recorder(self, name: str, arguments: dict[str, Any]) -> None:
        try:
            getattr(gym_metrics, name)(**arguments)
        except Exception as error:
            self.errors.append(error)

    # Calls that are no recorder.

    def _register(self, snapshot: Any) -> None:
        _check_snapshot(snapshot)
        if self.snapshot.form == {}:
            self.snapshot.form = snapshot
            self._recorder(
                "register_http_connection_pool_connect_counter", {"snapshot": self.snapshot}
            )
        else:
            other = Snapshot()
            other.form = snapshot
            self._recorder("register_http_connection_pool_connect_counter", {"snapshot": other})

    def _set_snapshot(self, snapshot: Any) -> None:
        _check_snapshot(snapshot)
        self.snapshot.form = snapshot

    def _collect_call(self, label: str | None = None, reader: int = 0) -> None:
        points = self.collect(reader)
        if label is not None:
            self.by_meter[label] = self.begun_meters[label] = points

    def end(self) -> list[dict[str, Any]]:
        """Shuts down; what that collected."""
        gym_telemetry.shutdown()
        return [
            p for p in _native.collect(0, True) if not p["instrument"].startswith("gym.telemetry.")
        ]

    def _install_meter(self, name: str) -> None:
        # The page can be read both ways: the name is of what ends here, or of what begins.
        points = self.end()
        self.by_meter[name] = self.begun_meters[self.meter] = points
        self.meter = name
        self.init()

    def _shutdown(self, timeout_ms: int | None = None) -> None:
        gym_telemetry.shutdown(timeout_ms)
        self.is_shut_down = True

    def _many(self, recorder: str, n: int, **args: Any) -> None:
        for i in range(n):
            self._recorder(recorder, {
                key.removesuffix("_template"): _filled(value, i)
                if key.endswith("_template") else argument(key, value)
                for key, value in args.items()
            })  # fmt: skip

    def _threads(self, count: int, work: Callable[[int], None], collects: bool = False) -> None:
        threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        while collects and any(thread.is_alive() for thread in threads):
            self.collect()
        for thread in threads:
            thread.join()

    def _record_from_threads(self, threads: int, per_thread: int, provider: Any) -> None:
        name = text(provider)

        def work(_: int) -> None:
            for _ in range(per_thread):
                gym_metrics.record_sandbox_create_retry(provider=name)

        self._threads(threads, work)

    def _short_threads(
        self,
        threads: int,
        per_thread: int,
        concurrent: int,
        provider: Any,
        collect_concurrently: bool = False,
    ) -> None:
        name = text(provider)

        def work(_: int) -> None:
            for _ in range(per_thread):
                gym_metrics.record_sandbox_create_retry(provider=name)

        for begun in range(0, threads, concurrent):
            self._threads(min(concurrent, threads - begun), work, collect_concurrently)

    def _pairs(
        self, threads: int, pairs: int, up_and_down_on_different_threads: bool, provider: Any
    ) -> None:
        name = text(provider)

        def up(_: int) -> None:
            for _ in range(pairs):
                gym_metrics.record_sandbox_active(1, provider=name)
                if not up_and_down_on_different_threads:
                    gym_metrics.record_sandbox_active(-1, provider=name)

        def down(_: int) -> None:
            for _ in range(pairs):
                gym_metrics.record_sandbox_active(-1, provider=name)

        self._threads(threads, up)
        if up_and_down_on_different_threads:
            self._threads(threads, down)

    def _histogram_threads(
        self,
        threads: int,
        per_thread: int,
        values: list[Any],
        provider: Any,
        collect_concurrently: bool,
    ) -> None:
        durations, name = [number(value) for value in values], text(provider)

        def work(_: int) -> None:
            for i in range(per_thread):
                gym_metrics.record_sandbox_startup(durations[i % len(durations)], provider=name)

        self._threads(threads, work, collect_concurrently)

    def _record_loop(self, n: int) -> None:
        for _ in range(n):
            gym_metrics.record_sandbox_create_retry(provider="p")

    # What is expected.

    def compare(self, last: list[list[dict[str, Any]]]) -> str | None:
        expect, points = self.expect, last[0]
        tolerance = expect.get("sum_tolerance", 0)
        if expect.get("no_error_reaches_caller") and self.errors:
            return f"an error reached the caller: {self.errors[0]!r}"
        if "points" in expect:
            for each in last:
                if wrong := difference(expect["points"], each, tolerance):
                    return wrong
        self.begun_meters[self.meter] = points
        for name, wanted in expect.get("points_by_meter", {}).items():
            wrong = difference(wanted, self.by_meter.get(name, []), tolerance)
            if wrong and difference(wanted, self.begun_meters.get(name, []), tolerance):
                return f"{name}: {wrong}"
        everywhere = {p["instrument"] for each in self.seen for p in each}
        if present := everywhere & set(expect.get("absent", ())):
            return f"present: {present}"
        for name, unit in expect.get("unit", {}).items():
            if any(p["unit"] != unit for p in points if p["instrument"] == name):
                return f"the unit of {name} is not {unit!r}"
        for name, monotonic in expect.get("monotonic", {}).items():
            kinds = {p["kind"] for p in points if p["instrument"] == name}
            if kinds != ({"counter"} if monotonic else {"up_down_counter"}):
                return f"{name} is a {kinds}"
        return self._compare_self_metrics() or self._compare_properties(last)

    def _compare_self_metrics(self) -> str | None:
        if self.case["driver"] != "inproc":
            return None
        wanted = self.expect.get("dropped_measurements")
        reasons = {"callback_failed"} if wanted is not None else {"callback_failed", "bad_name"}
        dropped = sum(
            p["value"]
            for p in self.seen[-1]
            if p["instrument"] == "gym.telemetry.dropped_total"
            and p["attributes"]["reason"] not in reasons
        )
        if dropped != (wanted or 0):
            return f"{dropped} dropped measurements, expected {wanted or 0}"
        unknown = sum(
            p["value"]
            for p in self.seen[-1]
            if p["instrument"] == "gym.telemetry.unknown_value_total"
        )
        if unknown != self.expect.get("unknown_values", unknown):
            return f"{unknown} unknown values"
        return None

    def _compare_properties(self, last: list[list[dict[str, Any]]]) -> str | None:
        for wanted in self.expect.get("properties", ()):
            if wanted["check"] in OF_THE_PROCESS:
                continue
            check = PROPERTIES.get(wanted["check"])
            if check is None:
                raise UnknownWord(f"property {wanted['check']}")
            rest = {key: value for key, value in wanted.items() if key != "check"}
            if not check(self, last[0], **rest):
                return f"{wanted} does not hold: {last[0][:5]}"
        return None


def _check_snapshot(form: dict[str, Any]) -> None:
    if form.get("$calls") == "unregister":
        raise NotPlayed("a callback that takes its registration back")


def _filled(template: str, i: int) -> str:
    start = template.index("{i")
    end = template.index("}", start)
    modulus = template[start + 2 : end].removeprefix("%")
    return template[:start] + str(i % int(modulus) if modulus else i) + template[end + 1 :]


class _RaisingMeter:
    def __getattr__(self, name: str) -> Any:
        def create(*args: Any, **kwargs: Any) -> Any:
            raise RuntimeError(f"{name} raises")

        return create


class _RaisingHandle:
    is_exporting = True
    meter = _RaisingMeter()


SPECIAL: dict[str, Callable[..., None]] = {
    "register_http_connection_pool_connect_counter": Play._register,
    "set_snapshot": Play._set_snapshot,
    "collect": Play._collect_call,
    "install_meter": Play._install_meter,
    "record_sandbox_create_retry_many": lambda p, **a: p._many("record_sandbox_create_retry", **a),
    "record_sandbox_active_many": lambda p, **a: p._many("record_sandbox_active", **a),
    "record_rollout_completed_many": lambda p, **a: p._many("record_rollout_completed", **a),
    "record_from_threads": Play._record_from_threads,
    "record_from_short_threads": Play._short_threads,
    "updown_pairs_from_threads": Play._pairs,
    "record_histogram_from_threads": Play._histogram_threads,
    "record_loop": Play._record_loop,
    "record_from_threads_with_reinit": case_reinit.record_from_threads,
    "reinit_loop": case_reinit.loop,
    "shutdown": Play._shutdown,
    **case_process.CALLS,
}
#: A registration ends with its generation in Python; there is no scope to take it back by.
LEFT_TO_CXX = {"register_in_scope_then_destroy_owner", "register_destroy_loop"}
