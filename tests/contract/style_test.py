# SPDX-License-Identifier: Apache-2.0
"""Sizes and habits of docs/style.md that a program can see."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
MOST_LINES = 500
MOST_COLUMNS = 100
SOURCES = (".cpp", ".hpp", ".py", ".sh", ".cmake")
failures = []

listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                        capture_output=True, text=True)
if listed.returncode != 0:
    print("not a git checkout: the files cannot be told from what a build made")
    sys.exit(0)
for name in listed.stdout.splitlines():
    path = root / name
    if path.suffix not in SOURCES or not path.is_file() or "/data/" in name:
        continue
    lines = path.read_text().splitlines()
    if len(lines) > MOST_LINES:
        failures.append(f"{name}: {len(lines)} lines, at most {MOST_LINES}")
    if path.suffix in (".cpp", ".hpp") and (
            not lines or lines[0] != "// SPDX-License-Identifier: Apache-2.0"):
        failures.append(f"{name}:1: no licence line")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS and name.startswith(("src/", "include/")):
            failures.append(f"{name}:{number}: {len(line)} columns, at most {MOST_COLUMNS}")
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and "style_test" not in name:
            failures.append(f"{name}:{number}: unfinished work without an issue")
    if path.name in ("utils.hpp", "utils.cpp", "helpers.hpp", "common.hpp"):
        failures.append(f"{name}: a file is named after its concept")
print("\n".join(failures))
sys.exit(1 if failures else 0)
