# SPDX-License-Identifier: Apache-2.0
"""A healthy row, its trajectory, turns and calls, with what a test changes."""

ABSENT = object()


def call(number, **changes):
    made = {
        "model_call_id": f"c{number}", "started_at": float(number), "completed_at": number + 0.5,
        "duration_ms": 500.0, "request": {"input": "q"}, "response": {"output_text": "text"},
        "response_metadata": {
            "response_id": f"r{number}",
            "model_ref": {"type": "responses_api_models", "name": "policy"},
            "model": "m", "dialect": "responses", "status_code": 200,
            "response_status": "completed", "finish_reason": "stop", "upstream_attempted": True,
            "response_source": "upstream", "upstream_status_code": 200,
            "local_response_reason": None, "error_category": None, "latency_ttft_ms": 1.5},
        "token_stats": {"prompt_tokens": 10, "completion_tokens": 5, "reasoning_tokens": 0,
                        "total_tokens": 15, "cached_tokens": 0}}
    metadata = changes.pop("metadata", {})
    tokens = changes.pop("tokens", {})
    made.update(changes)
    made["response_metadata"].update(metadata)
    made["token_stats"].update(tokens)
    return made


def turn(number, refs, **changes):
    made = {"invocation_id": "i0", "task_id": "t", "rollout_id": "r", "turn_no": number,
            "timestamp": 1.0, "question": "q", "answer": "text", "reasoning_content": None,
            "resolved": None, "step_count": number, "model_calls": refs}
    made.update(changes)
    return made


def trajectory(calls=1, **changes):
    made = {
        "schema_version": "1.0", "task_id": "t", "rollout_id": "r",
        "invocations": [{"kind": "agent_invocation", "invocation_id": "i0",
                         "parent_invocation_id": None, "spawned_by_tool_call_id": None,
                         "status": "completed", "duration_ms": 1.0, "error_type": None,
                         "model_calls": [], "conversation": []}],
        "turns": [turn(n + 1, [{"model_call_id": f"c{n}"}]) for n in range(calls)],
        "model_calls": [call(n) for n in range(calls)],
        "tool_calls": [{"kind": "tool_call", "invocation_id": "i0", "tool_call_id": "x",
                        "sandbox_id": None, "tool_name": "n", "started_at": 1.0,
                        "completed_at": 2.0, "duration_ms": 1000.0, "timing_source": "harness",
                        "status": "completed", "error_type": None, "output": "o"}],
        "gaps": []}
    made.update(changes)
    return made


def row(body, **changes):
    made = {"agent_ref": {"name": "env"}, "reward": 1.0,
            "response": {"usage": {"input_tokens": 10, "output_tokens": 5}}}
    made.update(changes)
    if body is not ABSENT:
        made["ng_trajectory"] = body
    return made
