# SPDX-License-Identifier: Apache-2.0
"""What a record costs from Python, beside NeMo Gym's own telemetry in the same run.

    python bench/python_bench.py [--json] [--check]

CPU nanoseconds a call with the loop around it, the least of many short runs. Upstream is nemo-gym
0.7.0's own `gym_metrics` with the OpenTelemetry SDK's meter; where nemo-gym is not installed its
column is left out and said so. The floor is an empty C function that is called in the same way; beside it one in nanobind. The
target while off, 22 ns, was set where the empty function took 19: where it takes more, because of
more labels or of the machine, the target is 3 ns above it.
`--check` ends with 1 when a target is missed.
"""

import argparse
import importlib
import json
import platform
import subprocess
import sys
import threading
import time
import timeit

CALLS = {
    "sandbox active, 1 label": "record_sandbox_active(1, provider='docker')",
    "create retry, 1 label": "record_sandbox_create_retry(provider='docker')",
    "exec duration, 12 bounds, 1 label": "record_sandbox_exec_duration(12.5, provider='docker')",
    "queue duration, 17 bounds, 3 labels": (
        "record_http_connection_pool_queue_duration(1.5, queue_constraint='total', "
        "queue_outcome='ok', server_name='policy_model')"
    ),
}
ON_NS, OFF_NS, FLOOR_NS, ON_TIMES, OFF_TIMES, LOCK_MS = 45, 22, 19, 80, 8, 1.0
EMPTY_IN_NANOBIND = ["one_label", "label_alone", "one_label_of_duration", "three_labels"]


def least_ns(statement: str, names: dict, number: int) -> float:
    timer = timeit.Timer(statement, timer=time.thread_time, globals=names)
    timer.timeit(number)  # warm
    return min(timer.repeat(200 if number > 1000 else 40, number)) / number * 1e9


def two_threads_ns(statement: str, names: dict, number: int) -> float:
    """CPU ns a call while another thread makes the same calls."""
    stop = threading.Event()
    code = compile(statement, "bench", "exec")

    def other() -> None:
        while not stop.is_set():
            exec(code, names)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        return least_ns(statement, names, number)
    finally:
        stop.set()
        thread.join()


def measure(metrics: object, number: int) -> dict[str, float]:
    names = dict(vars(metrics))
    return {label: least_ns(call, names, number) for label, call in CALLS.items()}


def empty_functions() -> dict[str, dict[str, float]]:
    """Of functions that do nothing, in plain C and in nanobind, as far as they were built."""
    bindings = {}
    for name, title in (("python_floor", "empty, C"), ("python_nanobind", "empty, nanobind")):
        try:
            names = vars(importlib.import_module(name))
        except ImportError:
            continue
        functions = EMPTY_IN_NANOBIND if "nanobind" in name else ["nothing"] * len(CALLS)
        calls = {
            label: function + call[call.index("(") :]
            for function, (label, call) in zip(functions, CALLS.items())
        }
        bindings[title] = {l: least_ns(call, dict(names), 5000) for l, call in calls.items()}
    return bindings


def ours() -> dict[str, dict[str, float]]:
    import gym_telemetry
    from gym_telemetry import gym_metrics

    off = measure(gym_metrics, 5000)
    gym_telemetry.init(enabled=True, exporter="memory", ignore_environment=True)
    on = measure(gym_metrics, 5000)
    threads = {
        label: two_threads_ns(call, dict(vars(gym_metrics)), 5000) for label, call in CALLS.items()
    }
    gym_telemetry.shutdown()
    return {"off": off, "on": on, "on, 2 threads": threads}


def upstream() -> dict[str, dict[str, float]] | None:
    """In a process of its own, without the drop-in."""
    code = f"import sys; sys.path.insert(0, {sys.path[0]!r}); import python_bench as b; b.print_upstream()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin"})  # fmt: skip
    return json.loads(done.stdout) if done.returncode == 0 else None


def print_upstream() -> None:
    setup = importlib.import_module("nemo_gym.telemetry.setup")
    metrics = importlib.import_module("nemo_gym.telemetry.gym_metrics")
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    off = measure(metrics, 500)

    class Handle:
        is_exporting = True
        meter = MeterProvider(metric_readers=[InMemoryMetricReader()]).get_meter("bench")

    setup._TELEMETRY_HANDLE = Handle()
    on = measure(metrics, 200)
    threads = {
        label: two_threads_ns(call, dict(vars(metrics)), 200) for label, call in CALLS.items()
    }
    print(json.dumps({"off": off, "on": on, "on, 2 threads": threads}))


class _Sink:
    """Answers every export at once."""

    def __init__(self) -> None:
        from http.server import BaseHTTPRequestHandler, HTTPServer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                left = int(self.headers["Content-Length"])
                while left:
                    left -= len(self.rfile.read(min(left, 1 << 16)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


def lock_held_ms() -> float:
    """CPU time of Python threads, which is what holds the interpreter lock, while 10,000 histogram
    series are collected, encoded and sent. The receiver is another process."""
    import os

    import gym_telemetry
    from gym_telemetry.gym_metrics import record_sandbox_exec_duration

    read, write = os.pipe()
    receiver = os.fork()
    if receiver == 0:
        sink = _Sink()
        os.write(write, sink.url.encode())
        os.close(write)
        sink.server.serve_forever()
    os.close(write)
    url = os.read(read, 100).decode()
    gym_telemetry.init(enabled=True, exporter="otlp", otlp_endpoint=url, ignore_environment=True,
                       cardinality_limit=0, traces_enabled=False)  # fmt: skip
    for i in range(10_000):
        record_sandbox_exec_duration(1.0, provider=f"provider-{i}")
    best = 1e9
    for _ in range(5):
        began = time.thread_time()
        gym_telemetry.flush(10_000)
        best = min(best, (time.thread_time() - began) * 1e3)
    gym_telemetry.shutdown()
    os.kill(receiver, 9)
    os.waitpid(receiver, 0)
    return best


def start_ms() -> tuple[float, float]:
    """What a process that never imports nemo_gym pays at its start: the line of the .pth file."""
    code = (
        "import glob, os, site, sys, time; "
        "file = [f for d in site.getsitepackages() for f in glob.glob(d + '/gym_telemetry.pth')][0]; "
        "began = time.perf_counter(); exec(open(file).read()); "
        "print((time.perf_counter() - began) * 1e3)"
    )
    environment = {"PATH": "/usr/bin:/bin", "GYM_TELEMETRY": "1"}
    times = sorted(
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, env=environment
            ).stdout
        )
        for _ in range(15)
    )
    return times[0], times[len(times) // 2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="machine-readable")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    arguments = parser.parse_args()
    result = {"python": platform.python_version(), "empty": empty_functions(), "ours": ours(),
              "upstream": upstream(), "lock_held_ms": lock_held_ms(), "start_ms": start_ms()}  # fmt: skip
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        show(result)
    missed = misses(result)
    for line in missed:
        print("MISSED", line)
    return 1 if arguments.check and missed else 0


def show(result: dict) -> None:
    theirs = result["upstream"]
    print(f"CPython {result['python']}, CPU ns a call (least), loop included")
    for title, calls in result["empty"].items():
        for label, ns in calls.items():
            print(f"  {title:15} {label:36} {ns:7.1f}")
    for state, calls in result["ours"].items():
        for label, ns in calls.items():
            line = f"  {state:15} {label:36} {ns:7.1f}"
            if theirs:
                line += f"   upstream {theirs[state][label]:8.0f}   {theirs[state][label] / ns:6.0f}x"
            print(line)
    if not theirs:
        print("  upstream: nemo-gym or the OpenTelemetry SDK is not installed here")
    print(f"  interpreter lock held by collect, encode, send of 10,000 histograms: "
          f"{result['lock_held_ms']:.2f} ms")  # fmt: skip
    print(f"  start of a process without nemo_gym: {result['start_ms'][0]:.3f} ms least, "
          f"{result['start_ms'][1]:.3f} ms median")  # fmt: skip


def misses(result: dict) -> list[str]:
    lines = []
    empty = result["empty"].get("empty, C", {})
    for label in CALLS:
        limits = {"off": max(OFF_NS, empty.get(label, 0) + OFF_NS - FLOOR_NS), "on": ON_NS}
        for state, limit in limits.items():
            ns = result["ours"][state][label]
            if ns > limit:
                lines.append(f"{state}, {label}: {ns:.1f} ns, target {limit:.1f}")
    if result["upstream"]:
        for state, times in (("off", OFF_TIMES), ("on", ON_TIMES)):
            for label, ns in result["ours"][state].items():
                if result["upstream"][state][label] < times * ns:
                    lines.append(f"{state}, {label}: less than {times} times faster")
    if result["lock_held_ms"] > LOCK_MS:
        lines.append(f"interpreter lock held for {result['lock_held_ms']:.2f} ms")
    if result["start_ms"][0] > 0.2:
        lines.append(f"start costs {result['start_ms'][0]:.3f} ms")
    return lines


if __name__ == "__main__":
    sys.exit(main())
