#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends known values and a replay to a victoria-metrics of its own and compares what it stores.

Starts Debian's victoria-metrics on a free loopback port with a temporary folder, runs demo_recorders
and gymtel replay (twice: a replay that is sent again must not count twice), reads every series of
each back by its service.instance.id, and compares all of them with what was recorded: values, sums,
counts and every bucket, none missing and none too many. Ends what it started. Exit code 0 when all
agree, 1 when not.
"""

import argparse
import contextlib
import glob
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

RESOURCE_KEYS = {
    "service.name", "service.instance.id", "nemo.run.id", "nemo.gym.service_group", "process.pid",
    "host.name", "telemetry.sdk.name", "telemetry.sdk.language", "telemetry.sdk.version",
}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Store:
    def __init__(self, folder):
        self.url = f"http://127.0.0.1:{free_port()}"
        # The rows of the rollouts are old; older points than its retention the store would drop
        # with a 204.
        self.log = open(os.path.join(folder, "log"), "w+b")
        self.process = subprocess.Popen(
            ["victoria-metrics", f"-httpListenAddr={self.url.removeprefix('http://')}",
             f"-storageDataPath={folder}/data", "-retentionPeriod=100y", "-loggerLevel=WARN",
             "-search.latencyOffset=0s"],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.get("/health")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        self.log.seek(0)
        raise SystemExit("victoria-metrics does not start:\n" + self.log.read().decode())

    def get(self, path, **query):
        url = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read().decode()

    def series(self, key, value, count):
        """Labels (resource left out) -> values, of all series with this resource attribute.

        Looks again for some seconds while there are fewer than `count`: the store's index of labels
        is behind its points, also after a flush."""
        deadline = time.monotonic() + 15
        while True:
            found = self.series_now(key, value)
            if len(found[0]) >= count or time.monotonic() > deadline:
                return found
            time.sleep(0.2)

    def series_now(self, key, value):
        self.get("/internal/force_flush")
        text = self.get("/api/v1/export", **{"match[]": "{" + f"{key}={json.dumps(value)}" + "}",
                                             "end": int(time.time()) + 60})
        found = {}
        instances = set()
        for line in text.splitlines():
            entry = json.loads(line)
            labels = entry["metric"]
            instances.add(labels.get("service.instance.id"))
            if labels["__name__"].startswith("gym.telemetry."):
                continue
            name = frozenset((k, v) for k, v in labels.items() if k not in RESOURCE_KEYS)
            found[name] = entry["values"]
        return found, instances

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()


def text(value):
    return ("true" if value else "false") if isinstance(value, bool) else value


def bound_text(bound):
    return repr(float(bound)).removesuffix(".0")


def expected_series(points):
    """What a Prometheus-like store makes of the points: labels -> value."""
    expected = {}

    def put(name, attributes, value, **extra):
        # An empty label is no label.
        labels = {k: text(v) for k, v in attributes.items() if text(v) != ""} | extra
        expected[frozenset((labels | {"__name__": name}).items())] = value

    for point in points:
        name, attributes = point["instrument"], point["attributes"]
        if point["kind"] != "histogram":
            put(name, attributes, point["value"])
            continue
        put(name + "_count", attributes, point["count"])
        put(name + "_sum", attributes, point["sum"])
        total = 0
        for bound, count in zip(point["bounds"] + [None], point["bucket_counts"]):
            total += count
            le = "+Inf" if bound is None else bound_text(bound)
            put(name + "_bucket", attributes, total, le=le)
    return expected


def describe(labels):
    rest = dict(labels)
    name = rest.pop("__name__", "?")
    return name + "{" + ",".join(f"{k}={v!r}" for k, v in sorted(rest.items())) + "}"


def differences(expected, found):
    for labels in expected.keys() - found.keys():
        yield f"missing in the store: {describe(labels)}"
    for labels in found.keys() - expected.keys():
        yield f"only in the store: {describe(labels)}"
    for labels in expected.keys() & found.keys():
        # Every sample of it, not only the last: what is sent again must not differ.
        for value in set(found[labels]):
            if abs(value - expected[labels]) > 1e-9 * max(1, abs(value)):
                yield f"{describe(labels)}: {value} in the store, {expected[labels]} recorded"


def compare(what, points, store, key, value, plant):
    if not points:
        raise SystemExit(f"{what}: nothing was recorded")
    expected = expected_series(points)
    if plant:
        labels = min(expected, key=describe)
        expected[labels] += 1
    found, instances = store.series(key, value, len(expected))
    wrong = sorted(differences(expected, found))
    if len(instances) != 1:
        wrong.append(f"{len(instances)} values of service.instance.id instead of one: {instances}")
    for line in wrong[:20]:
        print(f"  {line}", file=sys.stderr)
    samples = sum(len(values) for values in found.values())
    print(f"{what}: {len(points)} points, {len(expected)} series, {samples} samples: "
          + (f"{len(wrong)} differences" if wrong else "all agree"))
    return not wrong


def run(arguments, allowed=(0,), **environment):
    done = subprocess.run(arguments, env=os.environ | environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in allowed:
        raise SystemExit(f"{arguments[0]} failed ({done.returncode}): {done.stderr}")
    return json.loads(done.stdout)["points"], done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="folder of gymtel and demo_recorders")
    parser.add_argument("--rollouts", required=True, help="folder of rollout files")
    parser.add_argument("--plant", action="store_true", help="change one expected value")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as at_end:
        store = Store(folder)
        at_end.callback(store.stop)
        endpoint = store.url + "/opentelemetry"
        run_id = f"demo-{uuid.uuid4().hex}"
        points, _ = run([f"{options.bin}/demo_recorders"], NEMO_GYM_OTEL_RUN_ID=run_id,
                        OTEL_EXPORTER_OTLP_ENDPOINT=endpoint,
                        OTEL_EXPORTER_OTLP_COMPRESSION="gzip")
        good = compare("every recorder", points, store, "nemo.run.id", run_id, options.plant)

        files = sorted(glob.glob(f"{options.rollouts}/*.jsonl"))
        replay = [f"{options.bin}/gymtel", "replay", "--json", "--otlp", endpoint, *files]
        # Exit code 3: some of the lines are no JSON, on purpose.
        points, said = run(replay, allowed=(0, 3))
        again, said_again = run(replay, allowed=(0, 3))
        instance = said.rsplit("service.instance.id ", 1)[-1].strip()
        same = points == again and instance == said_again.rsplit("service.instance.id ", 1)[-1].strip()
        if not same:
            print("the second replay differs from the first", file=sys.stderr)
        good &= compare("the replay, sent twice", points, store, "service.instance.id", instance,
                        options.plant) and same
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
