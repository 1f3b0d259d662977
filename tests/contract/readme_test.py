# SPDX-License-Identifier: Apache-2.0
"""The README's example compiles against the shared library and runs; it names every instrument of
the API page; its links lead somewhere."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
readme = (root / "README.md").read_text()
failures = []

example = re.search(r"```cpp\n(.*?)```", readme, re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "example.cpp"
    source.write_text(example)
    program = pathlib.Path(folder) / "example"
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{root}/include", source,
               f"-L{build}/lib", "-lgym_telemetry", f"-Wl,-rpath,{build}/lib", "-o", program,
               *sys.argv[4:]]
    subprocess.run(command, check=True)
    # Nobody listens on port 9 (discard): the program ends by itself, silently.
    done = subprocess.run([program], capture_output=True, text=True, timeout=30,
                          env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    if done.returncode != 0 or done.stdout or done.stderr:
        failures.append(f"the example ended with {done.returncode}: {done.stdout}{done.stderr}")

for row in json.loads((root / "tests/contract/data/api_page.json").read_text())["instruments"]:
    if f"| {row['name']} |" not in readme:
        failures.append(f"README.md does not name {row['name']}")
for page in [root / "README.md", root / "ARCHITECTURE.md", root / "CONTRIBUTING.md",
             *(root / "docs").rglob("*.md")]:
    for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        if not (page.parent / link).exists():
            failures.append(f"{page.name}: {link} is not there")
print("\n".join(failures))
sys.exit(1 if failures else 0)
