# SPDX-License-Identifier: Apache-2.0
"""Renders docs/instruments.md from the table of instruments (describe_instruments' JSON)."""
import json
import sys

HEAD = """# Instruments

Generated from the table in `src/instruments/catalogue.hpp` by `./dev docs`; a test holds it.
Names, kinds, units, attributes and boundaries are a contract: they do not change within a major
version. In C++ a constant stands for each: `sandbox_active_instrument`, `sandbox_provider_attribute`.
In Prometheus the dots are underscores.

Rules for values: a duration that is NaN, infinite or negative is dropped and counted in
`gym.telemetry.dropped_total`. Text is UTF-8 of at most 1,024 bytes; what is invalid becomes U+FFFD,
what is too long is cut at a character. An empty optional attribute is left out. Buckets include
their upper bound. A value that is in no list of known ones is recorded as given and counted in
`gym.telemetry.unknown_value_total`.
"""

RULES = {
    "as_given": "",
    "closed_set": "",
    "name": "a name of at most 128 bytes without white space or control characters, else `unregistered`",
    "failure_kind": "a registered kind or `<server>:<kind>`, else `unregistered`",
}


def attribute_line(attribute):
    notes = []
    if attribute["optional"]:
        notes.append("optional")
    if attribute["values"]:
        notes.append("known: " + ", ".join(f"`{v}`" for v in attribute["values"]))
    if RULES[attribute["rule"]]:
        notes.append(RULES[attribute["rule"]])
    note = f" ({'; '.join(notes)})" if notes else ""
    return f"- `{attribute['key']}` {attribute['type']}{note}"


def section(row):
    unit = f"unit `{row['unit']}`" if row["unit"] else "no unit"
    lines = [f"### {row['name']}", "", row["description"], "",
             f"{row['kind'].replace('_', '-')}, {unit}."]
    if row["recorder"]:
        lines[-1] += f" Recorder: `{row['recorder']}`."
    if row["boundaries"]:
        lines += ["", "Boundaries: " + ", ".join(f"{b:g}" if b < 1e6 else f"{b:.0f}"
                                                  for b in row["boundaries"]) + "."]
    if row["attributes"]:
        lines += [""] + [attribute_line(a) for a in row["attributes"]]
    return "\n".join(lines) + "\n"


def render(table):
    rows = table["instruments"]
    parts = [HEAD]
    for title, wanted in (
            ("## Of the API page", lambda r: not r["extension"] and not r["self_metric"]),
            ("## Extensions\n\nOurs, on by default, not on the API page.", lambda r: r["extension"]),
            ("## Telemetry about telemetry\n\nOurs. They cost the recording path nothing.",
             lambda r: r["self_metric"])):
        chosen = [section(r) for r in rows if wanted(r)]
        if chosen:
            parts += [title + "\n", *chosen]
    kinds = table["registered_failure_kinds"]
    parts.append("## Registered failure kinds\n\n" + ", ".join(f"`{k}`" for k in kinds) + ".\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(render(json.load(sys.stdin)))
