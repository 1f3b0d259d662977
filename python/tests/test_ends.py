# SPDX-License-Identifier: Apache-2.0
"""Ends of interpreters, forks and children of multiprocessing, each with a collector."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")
from collector import Collector

# Python warns of every fork in a process with a thread, and the export thread is one. It is not
# Python's, and the engine has its own handlers around the fork.
QUIET = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
RETRY = "gym.sandbox.create_retry_total"

PRELUDE = """
import gym_telemetry, os, sys, threading, time
from gym_telemetry.gym_metrics import *
def record(n):
    for _ in range(n): record_sandbox_create_retry(provider="p")
"""


@pytest.fixture
def collector():
    made = Collector()
    yield made
    made.close()


def test_the_last_interval_is_sent_at_exit(run_python, collector):
    done = run_python(PRELUDE + "gym_telemetry.init(); record(7)", **collector.variables())
    assert (done.returncode, done.stderr) == (0, "")
    assert collector.total(RETRY) == 7


def test_an_exception_out_of_main_keeps_its_exit_code(run_python, collector):
    code = PRELUDE + "gym_telemetry.init(); record(7); raise ValueError('boom')"
    done = run_python(code, **collector.variables())
    assert done.returncode == 1 and "boom" in done.stderr
    assert collector.total(RETRY) == 7


def test_what_other_exit_handlers_record_is_sent(run_python, collector):
    code = PRELUDE + "import atexit\natexit.register(record, 2); gym_telemetry.init(); record(1)"
    run_python(code, **collector.variables())
    assert collector.total(RETRY) == 3


def test_a_fork_counts_by_itself(run_python, collector):
    code = PRELUDE + """
gym_telemetry.init(); record(3)
child = os.fork()
record(2 if child else 5)
if child: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run_python(code, **collector.variables()).returncode == 0
    assert collector.total(RETRY) == 10
    assert len(collector.identities()) == 2


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_multiprocessing_loses_nothing(method, run_python, collector):
    # The child of a spawn and of a fork server begins with nothing, so it calls init itself, as a
    # server does; a forked one has its parent's telemetry.
    code = PRELUDE + f"""
import multiprocessing
def work(n):
    gym_telemetry.init()
    record(n)
if __name__ == "__main__":
    gym_telemetry.init(); record(1)
    context = multiprocessing.get_context({method!r})
    children = [context.Process(target=work, args=(5,)) for _ in range(2)]
    for child in children: child.start()
    for child in children: child.join()
    sys.exit(max(child.exitcode for child in children))
"""
    done = run_python(code, timeout=60, **collector.variables(), **QUIET)
    assert (done.returncode, done.stderr) == (0, "")
    assert collector.total(RETRY) == 11


def test_a_pool_of_forked_processes_loses_nothing(run_python, collector):
    code = PRELUDE + """
import multiprocessing
if __name__ == "__main__":
    gym_telemetry.init()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(record, [5] * 4)
        pool.close(); pool.join()
"""
    done = run_python(code, **collector.variables(), **QUIET)
    assert (done.returncode, done.stderr) == (0, "")
    assert collector.total(RETRY) == 20


def test_workers_of_a_preforking_server_send_at_their_exit(run_python, collector):
    # gunicorn: the master loads the application, forks, and each worker leaves by sys.exit.
    code = PRELUDE + """
import signal
gym_telemetry.init()
def stop(*_): sys.exit(0)
workers = []
ready_r, ready_w = os.pipe()
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, stop)
        record(4)
        os.write(ready_w, b"x")
        while True: time.sleep(60)
    workers.append(pid)
for _ in workers: os.read(ready_r, 1)
for pid in workers: os.kill(pid, signal.SIGTERM)
codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in workers]
sys.exit(max(codes))
"""
    done = run_python(code, **collector.variables(), **QUIET)
    assert (done.returncode, done.stderr) == (0, "")
    assert collector.total(RETRY) == 12
    assert len({i for i, name, _ in collector.last_values() if name == RETRY}) == 3


@pytest.mark.parametrize("collects_ms", [20, 60000])
def test_a_snapshot_that_never_returns_holds_no_exit_up(collects_ms, run_python, collector):
    # The export thread sits in Python code when the interpreter ends.
    code = PRELUDE + """
entered = threading.Event()
def snapshot():
    entered.set()
    time.sleep(3600)
gym_telemetry.init()
register_http_connection_pool_connect_counter(snapshot)
if len(sys.argv) < 2 and os.environ["OTEL_METRIC_EXPORT_INTERVAL"] == "20": entered.wait()
"""
    variables = {**collector.variables(collects_ms), "NEMO_GYM_OTEL_SHUTDOWN_TIMEOUT_MS": "500"}
    began = time.monotonic()
    done = run_python(code, **variables)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 40  # the callback sleeps for an hour


def test_daemon_threads_that_record_and_flush_crash_no_exit(run_python, collector):
    code = PRELUDE + """
gym_telemetry.init()
def forever():
    while True:
        record(10); gym_telemetry.flush(50)
for _ in range(3): threading.Thread(target=forever, daemon=True).start()
time.sleep(0.3)
"""
    for _ in range(3):
        done = run_python(code, **collector.variables(20))
        assert done.returncode == 0, done.stderr


def test_a_collector_that_never_answers_holds_no_exit_up(run_python):
    silent = Collector(answers=False)
    variables = {**silent.variables(), "NEMO_GYM_OTEL_SHUTDOWN_TIMEOUT_MS": "300"}
    began = time.monotonic()
    done = run_python(PRELUDE + "gym_telemetry.init(); record(1)", **variables)
    silent.close()
    assert done.returncode == 0
    assert time.monotonic() - began < 40  # the collector never answers


def test_interrupt_while_threads_record_and_export(tmp_path):
    slow = Collector(delay_s=1)
    file = tmp_path / "program.py"
    file.write_text(
        PRELUDE
        + """
gym_telemetry.init()
stop = threading.Event()
def forever():
    while not stop.is_set(): record(100)
threads = [threading.Thread(target=forever) for _ in range(2)]
for thread in threads: thread.start()
try:  # around the line, too: the interrupt may come before the main thread has the lock again
    print("ready", flush=True)
    while True: time.sleep(1)
except KeyboardInterrupt:
    stop.set()
    for thread in threads: thread.join()
    raise
"""
    )
    child = subprocess.Popen(
        [sys.executable, str(file)],
        env={**os.environ, **slow.variables(20)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout.readline() == b"ready\n"
    with slow.arrived:
        assert slow.arrived.wait_for(lambda: slow.requests, timeout=30)
    child.send_signal(signal.SIGINT)
    try:
        child.communicate(timeout=60)
    finally:
        child.kill()
        slow.close()
    assert child.returncode == -signal.SIGINT


def test_the_lock_is_free_while_an_export_waits(run_python):
    slow = Collector(delay_s=0.5)
    code = PRELUDE + """
gym_telemetry.init(); record(1)
steps = 0
thread = threading.Thread(target=gym_telemetry.flush)
thread.start()
while thread.is_alive():
    steps += 1
    time.sleep(0.001)
assert steps > 5, steps  # a lock that is held lets none through
"""
    done = run_python(code, **slow.variables())
    slow.close()
    assert done.returncode == 0, done.stderr


def test_the_lock_is_held_for_less_than_a_millisecond(run_python, collector):
    # Processor time of the Python thread that waits for collect, encode and send: what holds the
    # lock runs there or nowhere, the export thread is not Python's. Least of several: others may
    # disturb one.
    code = PRELUDE + """
gym_telemetry.init(cardinality_limit=0)
for i in range(10_000): record_sandbox_exec_duration(1.0, provider=f"provider-{i}")
held = []
for _ in range(5):
    began = time.thread_time()
    assert gym_telemetry.flush(30_000)
    held.append(time.thread_time() - began)
assert min(held) < 0.001, held
"""
    done = run_python(code, timeout=120, **collector.variables())
    assert done.returncode == 0, done.stderr


def test_four_copies_in_one_interpreter(run_python, tmp_path):
    import gym_telemetry

    source = os.path.dirname(gym_telemetry.__file__)
    code = f"""
import importlib, shutil, sys
sys.path.insert(0, {str(tmp_path)!r})
copies = []
for i in range(4):
    shutil.copytree({source!r}, {str(tmp_path)!r} + f"/copy_{{i}}")
    copies.append(importlib.import_module(f"copy_{{i}}"))
for i, copy in enumerate(copies):
    copy.init(enabled=True, exporter="memory", ignore_environment=True)
    for _ in range(i + 1): copy.gym_metrics.record_sandbox_create_retry(provider="p")
for i, copy in enumerate(copies):
    (point,) = [p for p in copy.collect() if p["instrument"].startswith("gym.sandbox")]
    assert point["value"] == i + 1, (i, point)
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
