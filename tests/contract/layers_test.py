# SPDX-License-Identifier: Apache-2.0
"""Includes go down only: holds the table of layers of ARCHITECTURE.md against every #include."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# What a layer may include directly, besides itself and the public headers.
below_handle = {"handle", "export", "instruments", "engine", "trace", "otlp", "base"}
MAY_INCLUDE = {
    "base": set(),
    "engine": {"base"},
    "otlp": {"base"},
    "trace": {"base"},
    "instruments": {"engine", "base"},
    "export": {"engine", "otlp", "trace", "base"},
    "handle": {"export", "instruments", "engine", "trace", "base"},
    "sandbox": {"handle", "instruments", "trace", "base"},
    "startup": {"handle", "instruments", "trace", "base"},
    "http": {"handle", "instruments", "trace", "base"},
    "rollout": {"handle", "instruments", "trace", "base"},
    "health": {"handle", "instruments", "trace", "base"},
    "otel": {"handle", "export", "instruments", "engine", "trace", "base"},
    "store": {"base"},
    "analysis": {"base"},
    "server": {"store", "analysis", "otlp", "base"},
    "cli": None,  # anything
}

failures = []
for path in sorted((root / "src").rglob("*.[ch]pp")):
    layer = path.relative_to(root / "src").parts[0]
    if layer not in MAY_INCLUDE:
        failures.append(f"{path}: layer {layer} is not in the table")
        continue
    allowed = MAY_INCLUDE[layer]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        target = match.group(1).split("/")[0]
        if "/" not in match.group(1):
            failures.append(f"{path}:{number}: include by layer and file, as in \"base/clock.hpp\"")
        elif allowed is not None and target != layer and target not in allowed:
            failures.append(f"{path}:{number}: {layer} may not include {target}")

for path in sorted((root / "include").rglob("*.hpp")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r'\s*#\s*include\s+"', line):
            failures.append(f"{path}:{number}: a public header includes <gym/telemetry/...> only")

print("\n".join(failures))
sys.exit(1 if failures else 0)
