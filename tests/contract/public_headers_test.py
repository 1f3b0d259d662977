# SPDX-License-Identifier: Apache-2.0
"""Public headers pull in the std core only: no third-party header, and no heavy std ones. Those of
the bridge, which only its users include, also OpenTelemetry's: its types are their point."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
HEAVY = {"iostream", "regex", "format", "functional", "filesystem", "ranges", "sstream", "fstream",
         "algorithm", "thread", "future", "iomanip", "locale"}
failures = []
for path in sorted((root / "include").rglob("*.hpp")):
    lines = path.read_text().splitlines()
    if lines[0] != "// SPDX-License-Identifier: Apache-2.0":
        failures.append(f"{path}:1: no licence line")
    if "#pragma once" not in lines:
        failures.append(f"{path}: no #pragma once")
    for number, line in enumerate(lines, 1):
        match = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
        if not match:
            continue
        name = match.group(1)
        if name.startswith("gym/telemetry/"):
            continue
        if name.startswith("opentelemetry/") and path.parent.name == "otel":
            continue
        if "/" in name or name.endswith(".h") or name in HEAVY:
            failures.append(f"{path}:{number}: <{name}> is not the std core")
print("\n".join(failures))
sys.exit(1 if failures else 0)
