// SPDX-License-Identifier: Apache-2.0
#include <cli/run_files.hpp>

namespace gymtel {
namespace {

constexpr std::string_view rows_suffix = ".jsonl";
constexpr std::string_view failures_suffix = "_failures.jsonl";
constexpr std::string_view compressed_suffix = ".gz";

std::string_view without_compression(std::string_view path) {
    if (path.ends_with(compressed_suffix)) path.remove_suffix(compressed_suffix.size());
    return path;
}

}  // namespace

file_role role_of(std::string_view path) {
    const std::string_view plain = without_compression(path);
    const std::string_view name = plain.substr(plain.find_last_of('/') + 1);
    if (name.ends_with(failures_suffix)) return file_role::failed;
    if (name.ends_with("_materialized_inputs.jsonl") || name == "rollout_verdicts.jsonl" ||
        name.ends_with("_aggregate_metrics.json"))
        return file_role::no_rollouts;
    return file_role::scored;
}

std::string failures_file_of(std::string_view path) {
    const std::string_view plain = without_compression(path);
    if (role_of(path) != file_role::scored || !plain.ends_with(rows_suffix)) return {};
    const std::string_view compression = path.substr(plain.size());
    const std::string_view stem = plain.substr(0, plain.size() - rows_suffix.size());
    return std::string(stem) + std::string(failures_suffix) + std::string(compression);
}

}  // namespace gymtel
