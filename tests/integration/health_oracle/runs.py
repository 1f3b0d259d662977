# SPDX-License-Identifier: Apache-2.0
"""Rows that matter by standing together, or by how they are written."""

import json
import random

from shapes import call, row, trajectory, turn


def identities():
    """Rows whose identity stands in the row: each list is a file of its own."""
    indices = [0, 1, "1", "0", -5, 10, 2, "a", "", "None", True, False, 1.0, 2.0, 2**63,
               2**64 - 1, -(2**63), "é", "\U0001f600", "\uffff", "a\"b\\\n\u007f/\u0001"]
    for task in indices:
        for rollout in [0, "0", True, 2.0]:
            yield row(None, _ng_task_index=task, _ng_rollout_index=rollout)
    for stage in [None, 0, "None", "0", True, 1.0, -1]:
        for _ in range(2):
            yield row(None, _ng_task_index="staged", stage_index=stage)
    for rollout_id in [None, "", 0, False, [], {}, 0.0, "id", 5, True, 1.0, 1e16, 1.5e-5, 123456.75,
                       1e22, 0.1, 1e-5, 0.0001, -2.5, 2**64 - 1, [1, "a'b", None, True, 1.5],
                       {"k": "v\"", "é": ["\n\x01\u200b\u00ad\U0001f600\U000e0001"]},
                       ["\u0378\t\\"], ["'\""]]:
        yield row(None, _ng_rollout_id=rollout_id, _ng_task_index=7, _ng_rollout_index=1)
        yield row({"rollout_id": rollout_id}, _ng_task_index=8, _ng_rollout_index=1.0)
        yield row(trajectory(rollout_id="r", turns=[]), _ng_rollout_id=rollout_id,
                  _ng_task_index=True)
    yield row(trajectory(), _ng_task_index=9)
    yield row(None)


def repeats():
    """Tasks of several repeats with every mix of verdicts, duplicates and stages."""
    rng = random.Random(5)
    healthy = trajectory()
    failed = trajectory(model_calls=[call(0, metadata={"status_code": 500})])
    unseen = trajectory(gaps=[{"code": "turn_model_call_scope_incomplete"}])
    hollow = trajectory(turns=[turn(1, [{"model_call_id": "c0"}], answer="")])
    bodies = [healthy, failed, failed, unseen, hollow, None, {"odd": 1}]
    for task in range(150):
        for _ in range(rng.randint(1, 5)):
            yield row(rng.choice(bodies[: rng.randint(1, 7)]), _ng_task_index=task,
                      _ng_rollout_index=rng.choice([0, 1, 2, "1"]),
                      stage_index=rng.choice([None, None, 0, 1]))


def odd_lines():
    """Raw lines: what is JSON and what is not."""
    good = json.dumps(row(trajectory()))
    deep = lambda levels: '{"a":' + "[" * levels + "]" * levels + "}"
    texts = ["[]", "1", '"x"', "null", "true", "{", "}", '{"a":1}x', "{'a':1}", '{"a":01}',
             '{"a":+1}', '{"a":1.}', '{"a":.5}', '{"a":NaN}', '{"a":Infinity}', '{"a":-Infinity}',
             '{"a":1,}', "[1,]", '{"a" 1}', '{"a":1 "b":2}', "\ufeff{}", '{"a":"\\ud800"}',
             '{"a":"\\udc00"}', '{"a":"\\ud800x"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\\u0000"}',
             '{"a":"\t"}', '{"a":"\\x"}', '{"a":1e999}', '{"a":-1e999}', '{"a":1e-999}',
             '{"a":1e308}', '{"a":-0}', '{"a":-0.0}', '{"a":-}', "// {}", "{} // x", "nan",
             '{"a":18446744073709551616}', '{"a":' + "9" * 400 + "}", '{"a":"\\ud83d\\u0041"}',
             '{"a":"\\u12"}', '{"a":"\x7f"}', "{\r}", "{}\r", "\t{}\v", "\f \v", "", "   ",
             "\r", "{}\x00", "\x00", "\u00a0{}", deep(1022), deep(1023), deep(1024), deep(3000),
             "[" * 1024 + "]" * 1024, "[" * 1025 + "]" * 1025, "tru", '{"a":tru}', '{"a"}',
             '{"a":1}{"b":2}', '{"\\ud800":1}', '{"a":"' + "x" * 5000 + '"}',
             '{"_ng_task_index":12345678901234567890,"_ng_rollout_index":9223372036854775807}',
             '{"_ng_task_index":1,"_ng_task_index":"last"}',
             '{"ng_trajectory":1,"ng_trajectory":null}',
             good.replace('"status_code": 200', '"status_code": 500, "status_code": 200'),
             good.replace('"status_code": 200', '"status_code": 200, "status_code": 500'),
             good.replace('"answer": "text"', '"answer": {"text": "x", "text": ""}'),
             good.replace('"answer": "text"', '"answer": {"text": "", "text": "x"}'),
             good.replace('"timestamp": 1.0', '"timestamp": 123456789012345678901234567890'),
             good.replace('"step_count": 1', '"step_count": 123456789012345678901234567890'),
             good.replace('"turn_no": 1', '"turn_no": -0'), good + " ", good + "\r", "\t" + good]
    for text in texts:
        yield text.encode("utf-8", "surrogatepass")
    yield b'{"a":"\xff"}'
    yield b'{"a":"\xed\xa0\x80"}'
    yield b'{"a":"\xc0\x80"}'
    yield b'{"a":"\xf4\x90\x80\x80"}'
    yield b'{"\xc3\xa9":"\xc3\xa9"}'
