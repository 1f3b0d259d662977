# SPDX-License-Identifier: Apache-2.0
"""Writes COUNT healthy rows of about KILOBYTES kB to FILE: four repeats a task, long texts, and
CALLS model calls each with its turn. rows.py FILE COUNT CALLS KILOBYTES"""

import json
import random
import sys

WORDS = ("the model calls a tool and reads its answer then thinks about what to do next while "
         "counting the tokens of every reply").split()
rng = random.Random(1)


def text(size):
    return " ".join(rng.choice(WORDS) for _ in range(max(1, size // 5)))


def call(row, number, size):
    prompt, completion = rng.randint(100, 900), rng.randint(10, 300)
    answer = text(size)
    return answer, {
        "model_call_id": f"{row}-c{number}", "started_at": 1700000000.5 + number,
        "completed_at": 1700000001.25 + number, "duration_ms": 750.0,
        "request": {"model": "policy", "input": [{"role": "user", "content": text(size)}]},
        "response": {"id": f"resp_{row}_{number}", "output": [
            {"type": "message", "role": "assistant",
             "content": [{"type": "output_text", "text": answer, "annotations": []}]}]},
        "response_metadata": {
            "response_id": f"resp_{row}_{number}",
            "model_ref": {"type": "responses_api_models", "name": "policy"}, "model": "policy",
            "dialect": "responses", "status_code": 200, "response_status": "completed",
            "finish_reason": "stop", "upstream_attempted": True, "response_source": "upstream",
            "upstream_status_code": 200, "error_category": None, "latency_ttft_ms": 12.5},
        "token_stats": {"prompt_tokens": prompt, "completion_tokens": completion,
                        "reasoning_tokens": 0, "total_tokens": prompt + completion,
                        "cached_tokens": 0}}


def row(index, calls, size):
    task, name = str(index // 4), f"{index // 4}-{index % 4}"
    made = [call(name, number, size) for number in range(calls)]
    stats = [one["token_stats"] for _, one in made]
    turns = [{"invocation_id": "root", "task_id": task, "rollout_id": name, "turn_no": number + 1,
              "timestamp": 1700000002.0 + number, "question": None, "answer": [
                  {"type": "message", "role": "assistant",
                   "content": [{"type": "output_text", "text": answer}]}],
              "reasoning_content": None, "resolved": None, "step_count": number + 1,
              "model_calls": [{"model_call_id": one["model_call_id"]}]}
             for number, (answer, one) in enumerate(made)]
    conversation = [{"type": "message", "role": "user", "content": text(size)}]
    for answer, _ in made:
        conversation.append({"type": "message", "id": "m", "role": "assistant",
                             "status": "completed", "content": [
                                 {"type": "output_text", "text": answer, "annotations": []}]})
    return {"_ng_task_index": index // 4, "_ng_rollout_index": index % 4,
            "agent_ref": {"name": "math"}, "reward": 1.0,
            "response": {"usage": {
                "input_tokens": sum(s["prompt_tokens"] for s in stats),
                "output_tokens": sum(s["completion_tokens"] for s in stats)}},
            "ng_trajectory": {
                "schema_version": "1.0", "task_id": task, "rollout_id": name,
                "invocations": [{"kind": "agent_invocation", "invocation_id": "root",
                                 "status": "completed", "conversation": conversation,
                                 "model_calls": [{"model_call_id": one["model_call_id"]}
                                                 for _, one in made]}],
                "turns": turns, "model_calls": [one for _, one in made], "tool_calls": [],
                "gaps": []}}


def main():
    path, count, calls, kilobytes = sys.argv[1], *map(int, sys.argv[2:5])
    size = max(20, (kilobytes * 1000 - 900 * calls - 300) // (4 * calls + 1))
    with open(path, "w") as file:
        for index in range(count):
            file.write(json.dumps(row(index, calls, size), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
