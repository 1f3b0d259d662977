# SPDX-License-Identifier: Apache-2.0
"""The same report by NeMo Gym 0.7.0: original_speed.py ORACLE FOLDER FILE prints its rows per second of
CPU time on one core, the best of three. ORACLE is the folder of original.py that loads it."""

import pathlib
import sys
import time

sys.path.insert(0, sys.argv[1])
import original  # noqa: E402

report = original.load()
best = float("inf")
for _ in range(3):
    start = time.process_time()
    made = report.run_health_checks(pathlib.Path(sys.argv[3]), workers=1,
                                    output_dir=pathlib.Path(sys.argv[2]))
    best = min(best, time.process_time() - start)
rows = len(made.rollouts)
print(f"nemo_gym|health|rows_per_second|{rows / best:.3f}|1/s")
