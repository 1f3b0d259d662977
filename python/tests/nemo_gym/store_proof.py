# SPDX-License-Identifier: Apache-2.0
"""What NeMo Gym's own parts record under the drop-in is what a real store has.

    store_proof.py BUILD

Runs small_gym.py with nemo-gym 0.7.0 and no OpenTelemetry SDK in its environment, exporting to a
victoria-metrics of its own, and compares the six instruments of 0.7.0 there. Then the same without
the drop-in: nothing may arrive, or the proof is none. Exit code 77, with the reason, where the
packages cannot be had.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "tools" / "demo")]
from python_environment import Unavailable, main_that_may_skip, provide  # noqa: E402
from victoria import Store  # noqa: E402

PROVIDER = "nemo.gym.sandbox.provider", "daytona"
SERVER = "nemo.gym.http.destination.server.name", "policy_model"
QUEUE = (
    ("nemo.gym.http.connection_pool.queue_constraint", "total"),
    ("nemo.gym.http.connection_pool.queue_outcome", "ok"),
    SERVER,
)
# small_gym.py: 3 sandboxes, 2 of them stopped, 2 commands in each, every first create fails; 4
# requests at once over 1 connection.
EXPECTED = {
    ("gym.sandbox.active", PROVIDER): 1,
    ("gym.sandbox.startup_duration_ms_count", PROVIDER): 3,
    ("gym.sandbox.exec_duration_ms_count", PROVIDER): 6,
    ("gym.sandbox.create_retry_total", PROVIDER): 3,
    ("gym.http.connection_pool.queue_duration_ms_count", *QUEUE): 3,
    ("gym.http.connection_pool.connect_total", SERVER): 4,
}


def run_gym(python, store, run_id, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NEMO_", "OTEL_"))}
    environment |= {
        "NEMO_GYM_OTEL_ENABLED": "1",
        "NEMO_GYM_OTEL_SPAN_GROUPS": "all",
        "NEMO_GYM_OTEL_TRACES_ENABLED": "0",
        "NEMO_GYM_OTEL_RUN_ID": run_id,
        "OTEL_EXPORTER_OTLP_ENDPOINT": store.url + "/opentelemetry",
    }
    return subprocess.run([python, HERE / "small_gym.py"], capture_output=True, text=True,
                          timeout=120, env=environment | variables)  # fmt: skip


def key_of(labels):
    rest = dict(labels)
    name = rest.pop("__name__")
    kept = {k: v for k, v in rest.items() if k.startswith(("nemo.gym.sandbox", "nemo.gym.http"))}
    return name, *sorted(kept.items())


def is_compared(name):
    return name.startswith("gym.") and not name.endswith(("_bucket", "_sum"))


def compare(store, run_id):
    found, _ = store.series("nemo.run.id", run_id, len(EXPECTED))
    values = {key_of(labels): seen[-1] for labels, seen in found.items()}
    values = {key: value for key, value in values.items() if is_compared(key[0])}
    for key in sorted(EXPECTED.keys() | values.keys()):
        print(f"  {key[0]}: {values.get(key)} in the store, {EXPECTED.get(key)} happened")
    return values == EXPECTED


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("victoria-metrics"):
        raise Unavailable("there is no victoria-metrics")
    python = provide(build / "nemo_gym_environment", HERE / "requirements.txt",
                     package=build / "python_package")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as at_end:
        store = Store(folder)
        at_end.callback(store.stop)
        run_id = f"proof-{uuid.uuid4().hex}"
        done = run_gym(python, store, run_id, GYM_TELEMETRY="1")
        if done.returncode != 0 or not compare(store, run_id):
            print(done.stdout[-2000:], done.stderr[-4000:])
            return 1
        done = run_gym(python, store, run_id + "-control", GYM_TELEMETRY="")
        if "telemetry did not start" not in done.stderr:
            print("without the drop-in telemetry starts as well: this proves nothing")
            return 1
    print("NeMo Gym under the drop-in, without OpenTelemetry's SDK: the six instruments arrived")
    return 0


if __name__ == "__main__":
    main_that_may_skip(main)
