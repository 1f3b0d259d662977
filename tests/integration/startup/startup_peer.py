# SPDX-License-Identifier: Apache-2.0
"""A supervisor, or a server, in another language than the library's: `supervise GYMTEL SERVER` starts
the C++ server through a launch shell, `serve` says what a C++ supervisor handed to it."""
import json
import os
import subprocess
import sys
import time

TRACE, SPAN = "0123456789abcdef0123456789abcdef", "fedcba9876543210"


def supervise(gymtel, server):
    environment = dict(os.environ, NEMO_GYM_STARTUP_SPAWN_NS=str(time.time_ns()),
                       NEMO_GYM_STARTUP_TRACEPARENT=f"00-{TRACE}-{SPAN}-01")
    script = f'export "$({gymtel} emit startup-stamp setup-done)" && exec {server} srv'
    subprocess.run(["sh", "-c", script], env=environment, check=True, stdout=subprocess.DEVNULL)
    print(json.dumps({"trace": TRACE, "span": SPAN}))


def serve():
    entered = time.time_ns()
    spawned = int(os.environ["NEMO_GYM_STARTUP_SPAWN_NS"])
    trace = os.environ.get("NEMO_GYM_STARTUP_TRACEPARENT", "-").split("-")
    print(json.dumps({"interpreter_start_ns": entered - spawned, "trace": trace[1:3]}))


if __name__ == "__main__":
    supervise(*sys.argv[2:]) if sys.argv[1] == "supervise" else serve()
