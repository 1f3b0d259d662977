# SPDX-License-Identifier: Apache-2.0
"""Rows for the comparison with NeMo Gym: each check both ways, each gap, each form of reference,
malformed trajectories of every kind, repeats and stages. Always the same rows."""

import copy
import json
import random

from items import ITEMS, TOKENS
from runs import identities, odd_lines, repeats
from shapes import ABSENT, call, row, trajectory, turn

# What any field is replaced by, one after another.
WRONG = [None, True, False, 0, 1, -1, 2, 1.0, 1.5, -0.0, 1e300, 2**63, 2**64 - 1, -(2**63),
         "", " ", "x", "1", " 1.0 ", "-1", "1_0", "nan", "inf", "true", "completed", "message",
         [], {}, [1], ["x"], [[1]], {"a": 1}, [None], {"url": "u"}, [{}]]
# The same for items of conversations, of which there are many.
WRONG_IN_ITEMS = [None, True, 1, -1, 1.0, 1.5, "", "x", "1", "completed", [], {}, [1], ["x"],
                  {"a": 1}]
NUMBER_TEXTS = ["1.", ".5", "1e5", "+1", "+ 1", "1__0", "_1", "1_", "1.0_0", "00012", "0x1", "１",
                "\u00a01\u2003", "\x1c1", "1\u0000", "-0", "1.00000", "Infinity", "-nan", "1e400",
                "1e-400", "9223372036854775808", "9" * 19, "._5", "1_0e1_0", " 1_0 ", "t", "F",
                "yes", "NO", "y", "n", "On", "OFF", "2", "TRUE", " true"]
GAP_CODES = ["trajectory_projection_failed", "turns_unavailable", "model_calls_unavailable",
             "model_call_capture_incomplete", "model_call_capture_records_unreadable",
             "model_call_capture_unreadable", "turn_model_call_scope_incomplete",
             "model_call_reference_unmatched", "model_call_reference_ambiguous",
             "model_call_reference_conflict", "model_call_ownership_unavailable", "odd"]
TOOL_TYPES = ["function_call", "tool_call", "tool_use", "mcp_call", "mcp_list_tools",
              "mcp_approval_request", "file_search_call", "web_search_call", "computer_call",
              "image_generation_call", "code_interpreter_call", "local_shell_call",
              "custom_tool_call", "shell_call", "message"]
TEXT_KEYS = ["text", "content", "output_text", "answer", "refusal", "encrypted_content",
             "reasoning", "reasoning_content", "summary", "other"]


def paths(value, at=()):
    """Every place in a value, outermost first."""
    if at:
        yield at
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], at + (key,))
    elif isinstance(value, list):
        for index, _ in enumerate(value):
            yield from paths(value[index], at + (index,))


def changed(value, at, change):
    """A copy with change(container, key) applied at a place."""
    value = copy.deepcopy(value)
    inner = value
    for key in at[:-1]:
        inner = inner[key]
    change(inner, at[-1])
    return value


def replaced(value, at, by):
    return changed(value, at, lambda inner, key: inner.__setitem__(key, copy.deepcopy(by)))


def late(at):
    """Entries that pydantic looks at only when they are walked, or not at all."""
    return "bytes" in at or "top_logprobs" in at


def broken(value, wrong):
    """A value with each place replaced by each wrong value, taken away, or given a stranger."""
    for at in paths(value):
        for by in wrong:
            if late(at) and by not in ([], {}, 0, None, True):
                continue
            yield replaced(value, at, by)
        yield changed(value, at, lambda inner, key: inner.pop(key))
    for at in [()] + list(paths(value)):
        inner = value
        for key in at:
            inner = inner[key]
        if isinstance(inner, dict):
            made = copy.deepcopy(value)
            inner = made
            for key in at:
                inner = inner[key]
            inner["stranger"] = {"deep": [1]}
            yield made


def with_items(*items):
    made = trajectory()
    made["invocations"][0]["conversation"] = list(items)
    return made


def nested(levels, shape=0):
    """`levels` nested levels, the innermost a scalar."""
    value = 1
    for level in range(levels - 1):
        value = [value] if (level + shape) % 2 else {"content": value}
    return value


def shapes_of_trajectories():
    yield ABSENT
    yield from [None, [], "x", 1, True, {}, {"task_id": "t"}, {"task_id": "t", "rollout_id": "r"}]
    for name in ["invocations", "turns", "model_calls", "tool_calls", "gaps"]:
        yield trajectory(**{name: []})
        yield {key: value for key, value in trajectory().items() if key != name}
    base = trajectory(1, gaps=[{"code": "odd", "invocation_id": "i0", "detail": "d"}])
    base["invocations"][0]["model_calls"] = [
        {"model_call_id": "c0", "model_ref": {"type": "responses_api_models", "name": "policy"},
         "response_id": "r0"}]
    base["invocations"][0]["conversation"] = [ITEMS[0]]
    yield from broken(base, WRONG)
    for at in [("turns", 0, "turn_no"), ("turns", 0, "timestamp"), ("turns", 0, "resolved"),
               ("turns", 0, "step_count"), ("model_calls", 0, "started_at"),
               ("model_calls", 0, "duration_ms"), ("tool_calls", 0, "completed_at"),
               ("model_calls", 0, "response_metadata", "status_code"),
               ("model_calls", 0, "response_metadata", "upstream_attempted"),
               ("model_calls", 0, "token_stats", "completion_tokens")]:
        for by in NUMBER_TEXTS:
            yield replaced(base, at, by)


def unique_keys():
    for other in ["i0", "i1", ""]:
        made = trajectory()
        made["invocations"].append({"invocation_id": other})
        yield made
    for other in ["c0", "c1", "", None]:
        yield trajectory(model_calls=[call(0), call(1, model_call_id=other)])
        yield trajectory(model_calls=[call(0, model_call_id=other), call(1, model_call_id=other)])
    for other in [1, 2, "1", 1.0, True]:
        yield trajectory(turns=[turn(1, []), turn(other, [])])
        yield trajectory(turns=[turn(1, []), turn(other, [], invocation_id="i1")])
    yield trajectory(turns=[turn(1, [], task_id="u")])
    yield trajectory(turns=[turn(1, []), turn(2, [], rollout_id="u")])
    # Many, so that the search is by hash.
    many = [call(n, model_call_id=f"id{n}") for n in range(60)]
    refs = [{"model_call_id": f"id{n}"} for n in range(0, 60, 3)]
    yield trajectory(model_calls=many, turns=[turn(1, refs)])
    yield trajectory(model_calls=many + [call(0, model_call_id="id59")], turns=[turn(1, refs)])
    yield trajectory(turns=[turn(n + 1, []) for n in range(50)] + [turn(50, [])])
    yield trajectory(turns=[turn(n + 1, []) for n in range(50)])


def references():
    model = {"type": "responses_api_models", "name": "policy"}
    other = {"type": "responses_api_models", "name": "judge", "extra": 1}
    forms = [{"model_call_id": i, "model_ref": m, "response_id": r}
             for i in ["c0", "c1", "gone", "a:b:c", "a:", "", None]
             for m in [model, other, None] for r in ["r0", "r1", "same", "", None]]
    forms += [{"model_call_id": "c0"}, {"model_ref": model, "response_id": "r0"}, {}]
    calls = [call(0), call(1), call(2, model_call_id=None),
             call(3, model_call_id="", metadata={"response_id": "same"}),
             call(4, model_call_id="c4", metadata={"response_id": "same"}),
             call(5, model_call_id=None, metadata={"response_id": "same", "model_ref": other}),
             call(6, model_call_id=None, metadata={"response_id": None}),
             call(7, model_call_id="c7", metadata={"response_id": "", "model_ref": None})]
    for form in forms:
        for owner in ["turn", "invocation", "both"]:
            made = trajectory(model_calls=calls, turns=[turn(1, [])])
            if owner != "turn":
                made["invocations"][0]["model_calls"] = [form, {"model_call_id": "c0"}]
            if owner != "invocation":
                made["turns"][0]["model_calls"] = [form, form]
            yield made
    rng = random.Random(3)
    usable = [f for f in forms if f.get("model_call_id") or
              (f.get("model_ref") and f.get("response_id"))]
    for _ in range(300):
        made = trajectory(model_calls=rng.sample(calls, rng.randint(0, 8)), turns=[])
        for number in range(rng.randint(0, 3)):
            made["turns"].append(turn(number + 1, rng.choices(usable, k=rng.randint(0, 3))))
        made["invocations"][0]["model_calls"] = rng.choices(usable, k=rng.randint(0, 3))
        for _ in range(rng.randint(0, 3)):
            made["gaps"].append({
                "code": rng.choice(GAP_CODES),
                "invocation_id": rng.choice([None, "i0"]),
                "detail": rng.choice([None, "", "c0", "gone", "model_calls:gone", "x:", ":",
                                      "unknown"])})
        yield made


def gaps():
    for code in GAP_CODES:
        for detail in [None, "", "c0", "a:b", "a:"]:
            for references in [[], [{"model_call_id": "c0"}], [{"model_call_id": "b"}]]:
                yield trajectory(gaps=[{"code": code, "detail": detail}] * 2,
                                 turns=[turn(1, references)])
        yield trajectory(gaps=[{"code": code, "invocation_id": "i0", "detail": "x"}],
                         model_calls=[call(0, metadata={"status_code": 500})])
        yield trajectory(gaps=[{"code": code}], turns=[turn(1, [], answer="")])


def chains():
    rng = random.Random(4)
    names = [{"type": "responses_api_models", "name": "policy"},
             {"type": "responses_api_models", "name": "judge"},
             {"type": "responses_api_models", "name": ""}, None]
    for _ in range(400):
        calls = []
        for number in range(rng.randint(1, 5)):
            made = call(number, metadata={
                "status_code": rng.choice([200, 200, 199, 100, 399, 400, 500, None, "503", 0]),
                "error_category": rng.choice([None, None, "", "timeout"]),
                "response_status": rng.choice(["completed", "completed", "failed", "error",
                                               "cancelled", "Failed", None]),
                "finish_reason": rng.choice(["stop", "length", "max_tokens", "max_output_tokens",
                                             None]),
                "model_ref": rng.choice(names)})
            made["started_at"] = rng.choice([0.0, 1.0, 2.0, 3, "2.5", None, -1.0, "inf", True])
            made["response"] = rng.choice([{"output_text": "t"}, {"output_text": " "}, None, {},
                                           "text", {"output": []}])
            made["model_call_id"] = rng.choice([f"c{number}", f"c{number}", None, ""])
            made["response_metadata"]["response_id"] = rng.choice(
                [f"r{number}", "same", "", None])
            made["token_stats"] = rng.choice([
                {"prompt_tokens": 10, "completion_tokens": 5}, {"completion_tokens": 0}, {},
                {"prompt_tokens": None, "completion_tokens": "7"}, {"prompt_tokens": True}])
            calls.append(made)
        refs = [{"model_call_id": c["model_call_id"]} for c in calls if c["model_call_id"]]
        made = trajectory(model_calls=calls, turns=[turn(1, refs[: rng.randint(0, 5)])])
        made["invocations"][0]["model_calls"] = refs[rng.randint(0, 5):]
        yield made


def answers():
    values = ["", " ", "\t\n", "\u00a0", "\u200b", "\u2003\u3000", "\x1c\x1f", "\u0085", "x", [],
              {}, 0, 5, True, None, ["", [" "], [["x"]]], [[], {}], nested(20), nested(255),
              nested(256), nested(255, 1), nested(256, 1), [{"type": "message"}],
              {"tool_calls": [{"type": []}], "type": "x"}, [{"type": ["tool"]}], {"type": {}},
              [{"type": "tool_use"}, {"type": []}], [{"type": []}, {"type": "tool_use"}],
              [[{"type": "tool_use"}]], {"content": [{"type": "tool_use"}]}]
    values += [{"type": kind} for kind in TOOL_TYPES]
    values += [[{"type": kind, "x": 1}] for kind in TOOL_TYPES]
    values += [{"tool_calls": by} for by in WRONG]
    values += [{key: "x"} for key in TEXT_KEYS] + [{key: ["", {"text": "x"}]} for key in TEXT_KEYS]
    values += [{key: " ", "text": ""} for key in TEXT_KEYS]
    for value in values:
        yield trajectory(turns=[turn(1, [], answer=value)])
        yield trajectory(turns=[turn(1, [{"model_call_id": "c0"}], answer=value)])
        yield trajectory(turns=[turn(1, [], answer="", reasoning_content=value)])
        yield trajectory(turns=[turn(2, [], answer=value), turn(1, [], answer="x"),
                                turn(3, [], answer=[])])
        yield trajectory(model_calls=[call(0, metadata={"finish_reason": "length"},
                                           response={"output": value, "text": "x"})])


def responses():
    contents = ["", "x", " ", [], ["x"], {}, {"text": "x"}, None, 5, True, "\u200b"]
    values = list(WRONG) + [{"output_text": c} for c in contents]
    values += [{"content": c, "choices": True} for c in contents]
    values += [{"output": c, "choices": by} for c in ["x", ""] for by in WRONG]
    values += [{"choices": [{"text": c}]} for c in contents]
    values += [{"choices": [{"message": c}]} for c in contents + [0, 0.0, False, 1.5]]
    values += [{"choices": [{"message": {"content": c}}]} for c in contents]
    values += [{"choices": [{"text": "x"}, {"message": "y"}]},
               {"choices": [{"message": "y"}, {"text": "x"}]},
               {"choices": [5, {"message": [1]}]}, {"choices": {"message": "y"}},
               {"output": "x", "choices": [{"message": True}]}]
    for value in values:
        for finish in ["length", "max_tokens", "stop"]:
            yield trajectory(model_calls=[call(0, response=value,
                                               metadata={"finish_reason": finish})])
    yield trajectory(model_calls=[{"response_metadata": {"finish_reason": "length"},
                                   "model_call_id": "c0"}])
    yield trajectory(2, model_calls=[call(0, metadata={"finish_reason": "length"}, response=None),
                                     call(1)])


def depths():
    for levels in [254, 255, 256, 257, 300]:
        for shape in [0, 1]:
            deep = nested(levels, shape)
            yield trajectory(model_calls=[call(0, request=deep)])
            yield trajectory(model_calls=[call(0, response=deep)])
            yield trajectory(turns=[turn(1, [], question=deep)])
            yield trajectory(turns=[turn(1, [], reasoning_content=deep)])
            made = trajectory()
            made["tool_calls"][0]["output"] = deep
            yield made
            made = copy.deepcopy(made)
            made["stranger"] = 1
            yield made
    for levels in [253, 254, 255, 256]:
        deep = nested(levels)
        yield with_items({"type": "mcp_list_tools", "tools": [deep]})
        yield with_items({"type": "mcp_list_tools", "stranger": deep})
        yield with_items({"type": "compaction", "id": "i", "encrypted_content": "e",
                          "stranger": deep})
        yield with_items({"type": "message", "role": "user", "content": "x", "stranger": deep})
        yield with_items({"type": "function_call", "arguments": "", "call_id": "c", "name": "n",
                          "stranger": deep})
        yield with_items({"type": "reasoning", "id": "i", "stranger": deep, "summary": [
            {"text": "t", "type": "summary_text"}]})
        yield with_items({"type": "reasoning", "id": "i", "summary": [
            {"text": "t", "type": "summary_text", "stranger": deep}]})
        yield with_items({"type": "web_search_call", "id": "i", "status": "failed",
                          "action": {"type": "open_page", "stranger": deep}})
        yield with_items({"type": "tool_search_call", "id": "i", "arguments": deep,
                          "execution": "server", "status": "completed"})
        yield with_items({"role": "user", "content": [{"type": "input_video", "video": {
            "url": "u", "x": deep}}]})
        yield with_items({"type": "custom_tool_call_output", "call_id": "c", "output": [
            {"type": "input_text", "text": "t", "stranger": deep}]})
        yield with_items({"type": "function_call_output", "call_id": "c", "output": [
            {"type": "input_text", "text": "t", "stranger": deep}]})
        yield with_items({"type": "additional_tools", "role": "developer", "tools": [
            {"type": "function", "name": "n", "parameters": {"x": deep}}]})


def conversations():
    for item in ITEMS:
        yield with_items(item)
        yield with_items({**item, **TOKENS})
        for by in broken(item, WRONG_IN_ITEMS):
            yield with_items(by)
    for field in ["prompt_token_ids", "generation_token_ids", "generation_log_probs",
                  "routed_experts"]:
        yield with_items({"type": "compaction_trigger", field: []})
        for by in WRONG + NUMBER_TEXTS:
            yield with_items({"type": "compaction_trigger", **TOKENS, field: by})
            yield with_items({"role": "user", "content": "x", **TOKENS, field: [by]})
    for kind in ["easy_message", "input_message", "output_message", "odd", "",
                 "function_call__training", "Message"]:
        yield with_items({"type": kind, "role": "user", "content": "x", "id": "i"})
    # TypeError wins over what is invalid elsewhere, wherever it stands.
    for bad in [{"role": []}, {"type": "message", "role": {}},
                {"type": None, "role": ["x"]}, {"type": [], "role": []},
                {"type": "message", "role": "user", "content": [], "status": []},
                {"type": "message", "role": "user", "content": "x", "status": []},
                {"type": "message", "content": [{"type": ["x"]}]},
                {"type": "message", "content": [{"type": []}], "id": "i"},
                {"id": "i", "content": [{"type": {"a": 1}}]},
                {"role": "odd", "content": [{"type": {"a": 1}}]},
                {"role": [], "prompt_token_ids": []}]:
        yield with_items(bad)
        yield with_items({"type": "odd"}, bad)
        yield {**with_items(bad), "stranger": 1}
        yield {**with_items(bad), "task_id": 5}
        yield {**with_items(bad), "invocations": {"conversation": [bad]}}
        made = with_items(bad)
        made["invocations"].insert(0, {"conversation": "x"})
        yield made


def usages():
    for usage in list(WRONG) + [
            {"input_tokens": by, "output_tokens": 5} for by in WRONG] + [
            {"prompt_tokens": 10, "completion_tokens": by} for by in WRONG] + [
            {"input_tokens": None, "prompt_tokens": 10, "output_tokens": 5},
            {"prompt_tokens": 10, "completion_tokens": 5, "input_tokens": 11},
            {"input_tokens": 11, "output_tokens": 5}, {"input_tokens": 10, "output_tokens": 6}]:
        yield row(trajectory(), response={"usage": usage})
    for response in WRONG:
        yield row(trajectory(), response=response)
    for tokens in [{"prompt_tokens": "10"}, {"prompt_tokens": 11}, {"completion_tokens": None},
                   {"prompt_tokens": 10.0}]:
        yield row(trajectory(model_calls=[call(0, tokens=tokens)]))


def shared(rows_made):
    """Rows without an identity of their own get one: several repeats of a task."""
    for number, made in enumerate(rows_made):
        yield {"_ng_task_index": number // 3, "_ng_rollout_index": number % 3, **made}


def countable(made):
    """Whether the token counts can be added up: beyond 64 bits the whole report fails."""
    text = json.dumps(made)
    return not any(f'_tokens": {quote}{big}' in text for quote in ["", '"'] for big in [
        2**63, 2**64 - 1, "1e+300", "9" * 19])


def lines(rows_made):
    return [json.dumps(made).encode() for made in rows_made if countable(made)]


def refused():
    """Files of which neither makes a report: an index of another kind, a sum beyond 64 bits."""
    for key in ["_ng_task_index", "_ng_rollout_index", "stage_index"]:
        for value in [[], {}, 1.5, 1e300, 2.0**63, [1]] + ([] if key == "stage_index" else [None]):
            yield f"{key} {value}", [json.dumps(row(None, **{key: value})).encode()]
    big = row(trajectory(model_calls=[call(0, tokens={"prompt_tokens": 2**63})]))
    yield "sum of two rows", [json.dumps(big).encode()] * 2
    yield "sum of a row", [json.dumps(row(trajectory(model_calls=[
        call(0, tokens={"prompt_tokens": str(2**64)})]))).encode()]
    usage = row(None, response={"usage": {"input_tokens": 2**64 - 1}})
    yield "usage", [json.dumps(usage).encode()] * 2


def files():
    """The name and the lines of each file that is compared."""
    bodies = {"shapes": shapes_of_trajectories, "unique": unique_keys, "references": references,
              "gaps": gaps, "chains": chains, "answers": answers, "responses": responses,
              "depths": depths, "conversations": conversations}
    for name, make in bodies.items():
        yield name, lines(shared(row(body) for body in make()))
    yield "usages", lines(shared(usages()))
    yield "identities", lines(identities())
    yield "repeats", lines(repeats())
    yield "odd_lines", list(odd_lines())
