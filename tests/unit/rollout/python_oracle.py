# SPDX-License-Identifier: Apache-2.0
"""What Python's json says of each line of a file: the reason to refuse it, or its fields as text."""
import json
import math
import struct
import sys

sys.setrecursionlimit(100_000)
sys.set_int_max_str_digits(0)


def refuse_constant(name):
    raise ValueError(name)


def to_float(number):
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(value):
    if not isinstance(value, str):
        return ""
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in value)


def failure(value):
    return text(value) if value is None or isinstance(value, str) else "unregistered"


def bits(number):
    number = to_float(number)
    return struct.pack(">d", number).hex()


def count(value):
    if not is_number(value):
        return "none"
    value = to_float(value)
    if not 0 <= value <= 2**53 or value != math.floor(value):
        return "none"
    return str(int(value))


def member(value, key):
    return value.get(key) if isinstance(value, dict) else None


def describe(line):
    try:
        decoded = line.decode("utf-8")
    except UnicodeDecodeError:
        return "utf8"
    try:
        row = json.loads(decoded, parse_constant=refuse_constant)
    except ValueError:
        return "not_json"
    if not isinstance(row, dict):
        return "not_an_object"
    reward = row.get("reward")
    if is_number(reward):
        state = "number " + bits(reward)
    else:
        state = "absent" if "reward" not in row else "null" if reward is None else "other"
    usage = member(row.get("response"), "usage")
    created = member(row.get("response"), "created_at")
    name = text(row.get("_ng_environment_server")) or text(member(row.get("agent_ref"), "name"))
    fields = [
        state,
        "masked" if row.get("mask_sample") is True else "-",
        "drained" if row.get("_ng_dispatch_drained") else "-",
        (name or "unknown").encode().hex(),
        failure(row.get("_ng_failure_class")).encode().hex(),
        failure(row.get("failure_kind")).encode().hex(),
        failure(row.get("_ng_failure_type")).encode().hex(),
        count(member(usage, "input_tokens")),
        count(member(usage, "output_tokens")),
        bits(created) if is_number(created) else bits(0.0),
    ]
    return "|".join(fields)


for line in open(sys.argv[1], "rb").read().split(b"\n")[:-1]:
    print(describe(line))
