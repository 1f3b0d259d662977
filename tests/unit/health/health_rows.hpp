// SPDX-License-Identifier: Apache-2.0
//
// Saved rows in short: a healthy row of one turn and one model call, with what a test changes.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::health::tests {

// Every member is JSON, or empty where the field is left out.
struct short_row {
    std::string task = "0";
    std::string rollout = "0";
    std::string status = "200";
    std::string tokens_in = "10";
    std::string tokens_out = "5";
    std::string finish_reason = "\"stop\"";
    std::string response = R"({"output_text":"text"})";
    std::string error_category = "null";
    std::string answer = "\"text\"";
    std::string turn_references = R"([{"model_call_id":"c0"}])";
    std::string invocation_references = "[]";
    std::string conversation = "[]";
    std::string gaps = "[]";
    std::string stage{};
    std::string more_calls{};  // further calls, each with a comma in front
};

inline std::string usage_of(const short_row& row) {
    if (row.tokens_in == "null" || row.tokens_out == "null") return "";
    return R"(,"response":{"usage":{"input_tokens":)" + row.tokens_in + R"(,"output_tokens":)" +
           row.tokens_out + "}}";
}

inline std::string trajectory_of(const short_row& row) {
    const std::string ids = R"("task_id":"t","rollout_id":"r")";
    return R"({"schema_version":"1.0",)" + ids +
           R"(,"invocations":[{"kind":"agent_invocation","invocation_id":"i0","model_calls":)" +
           row.invocation_references + R"(,"conversation":)" + row.conversation +
           R"(}],"turns":[{"invocation_id":"i0",)" + ids +
           R"(,"turn_no":1,"timestamp":1.0,"step_count":1,"answer":)" + row.answer +
           R"(,"model_calls":)" + row.turn_references +
           R"(}],"model_calls":[{"model_call_id":"c0","started_at":1.0,"response":)" +
           row.response + R"(,"response_metadata":{"status_code":)" + row.status +
           R"(,"finish_reason":)" + row.finish_reason + R"(,"error_category":)" +
           row.error_category +
           R"(,"model_ref":{"type":"responses_api_models","name":"policy"}},"token_stats":{)" +
           R"("prompt_tokens":)" + row.tokens_in + R"(,"completion_tokens":)" + row.tokens_out +
           "}}" + row.more_calls + R"(],"gaps":)" + row.gaps + "}";
}

inline std::string row_with(const short_row& row, std::string_view trajectory) {
    return R"({"_ng_task_index":)" + row.task + R"(,"_ng_rollout_index":)" + row.rollout +
           (row.stage.empty() ? "" : R"(,"stage_index":)" + row.stage) +
           R"(,"agent_ref":{"name":"env"},"reward":1.0)" + usage_of(row) + R"(,"ng_trajectory":)" +
           std::string(trajectory) + "}";
}

inline std::string row_text(const short_row& row = {}) {
    return row_with(row, trajectory_of(row));
}

inline std::string file_text(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

// A folder of the running test's own, removed when it ends.
class scratch_folder {
public:
    scratch_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "health_XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~scratch_folder() { std::filesystem::remove_all(path_); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string write(const std::string& name, std::string_view text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

}  // namespace gym::telemetry::health::tests
