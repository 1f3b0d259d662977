# SPDX-License-Identifier: Apache-2.0
"""The table of instruments is the API page's, to the letter; further rows are marked. And
docs/instruments.md is what the table generates."""
import json
import pathlib
import subprocess
import sys

root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
page = json.loads((root / "tests/contract/data/api_page.json").read_text())
table = json.loads(subprocess.check_output([build / "bin/describe_instruments"]))
ours = {row["name"]: row for row in table["instruments"]}
failures = []

def same(name, what, wanted, got):
    if wanted != got:
        failures.append(f"{name}: {what} is {got!r}, on the page {wanted!r}")

same("failure kinds", "list", page["registered_failure_kinds"], table["registered_failure_kinds"])
same("failure kinds", "unregistered", page["unregistered_failure_kind"],
     table["unregistered_failure_kind"])
for wanted in page["instruments"]:
    name = wanted["name"]
    got = ours.pop(name, None)
    if got is None:
        failures.append(f"{name}: on the page, not in the table")
        continue
    for what in ("kind", "unit", "description"):
        same(name, what, wanted[what], got[what])
    same(name, "boundaries", wanted.get("boundaries", []), got["boundaries"])
    same(name, "attributes",
         [(a["key"], a["type"], a.get("optional", False)) for a in wanted["attributes"]],
         [(a["key"], a["type"], a["optional"]) for a in got["attributes"]])
    for a, b in zip(wanted["attributes"], got["attributes"]):
        if "values" in a and b["values"]:
            same(name, a["key"], a["values"], b["values"])
    same(name, "extension", False, got["extension"] or got["self_metric"])
for name, row in ours.items():
    if not (row["extension"] or row["self_metric"]):
        failures.append(f"{name}: neither on the page nor marked as ours")
    if row["extension"] and not name.startswith("gym."):
        failures.append(f"{name}: not below gym.")

sys.path.insert(0, str(root / "tools/docs"))
import instruments_page  # noqa: E402

if instruments_page.render(table) != (root / "docs/instruments.md").read_text():
    failures.append("docs/instruments.md is not what the table generates: ./dev docs")
print("\n".join(failures))
sys.exit(1 if failures else 0)
