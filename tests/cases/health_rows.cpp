// SPDX-License-Identifier: Apache-2.0
#include "health_rows.hpp"

#include "values.hpp"

#include <algorithm>

namespace gym::telemetry::cases {

namespace {

std::string or_default(const json_value& of, std::string_view key, std::string_view otherwise) {
    const json_value* value = of.find(key);
    return value ? to_json(expanded(*value)) : std::string(otherwise);
}

bool is_referenced_by(const json_value& row, std::string_view what) {
    const json_value* list = row.find("referenced_by");
    if (list == nullptr) return what == "turn";
    return std::ranges::any_of(list->items,
                               [&](const json_value& item) { return item.text == what; });
}

std::string trajectory(const json_value& row, const json_value& call) {
    const std::string task = std::to_string(int64_of(*row.find("task")));
    const std::string id = task + "-" + std::to_string(int64_of(*row.find("rollout")));
    const std::string ids = R"("task_id":")" + task + R"(","rollout_id":")" + id + R"(",)";
    const auto references = [&](std::string_view what) {
        return std::string(is_referenced_by(row, what) ? R"([{"model_call_id":"c0"}])" : "[]");
    };
    std::string to = R"({"schema_version":"1.0",)" + ids;
    to += R"("invocations":[{"kind":"agent_invocation","invocation_id":"i0","model_calls":)" +
          references("invocation") + "}],";
    to += R"("turns":[{"invocation_id":"i0",)" + ids +
          R"("turn_no":1,"timestamp":1.0,"step_count":1,"answer":)" +
          or_default(row, "answer", R"("text")") + R"(,"model_calls":)" + references("turn") +
          "}],";
    to += R"("model_calls":[{"model_call_id":"c0","started_at":1.0,"response":)" +
          or_default(call, "response", R"({"output_text":"text"})");
    to += R"(,"response_metadata":{"status_code":)" + or_default(call, "status", "200") +
          R"(,"finish_reason":)" + or_default(call, "finish_reason", R"("stop")") +
          R"(,"error_category":)" + or_default(call, "error_category", "null") +
          R"(,"model_ref":{"type":"responses_api_models","name":"policy"}})";
    to += R"(,"token_stats":{"prompt_tokens":)" + or_default(call, "tokens_in", "10") +
          R"(,"completion_tokens":)" + or_default(call, "tokens_out", "5") + "}}],";
    return to + R"("gaps":[]})";
}

}  // namespace

std::string saved_row(const json_value& row) {
    static const json_value ordinary{.is = json_value::type::object, .items = {}, .members = {}};
    const json_value* differing = row.find("call");
    const json_value& call = differing ? *differing : ordinary;
    const std::string in = or_default(call, "tokens_in", "10");
    const std::string out = or_default(call, "tokens_out", "5");

    std::string to = R"({"_ng_task_index":)" + or_default(row, "task", "0") +
                     R"(,"_ng_rollout_index":)" + or_default(row, "rollout", "0") +
                     R"(,"agent_ref":{"name":"env"},"reward":1.0)";
    if (in != "null" && out != "null")
        to += R"(,"response":{"usage":{"input_tokens":)" + in + R"(,"output_tokens":)" + out + "}}";
    // The only value that the key may have is null: there is none.
    if (row.find("trajectory") == nullptr) to += R"(,"ng_trajectory":)" + trajectory(row, call);
    return to + "}";
}

}  // namespace gym::telemetry::cases
