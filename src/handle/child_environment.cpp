// SPDX-License-Identifier: Apache-2.0
#include "handle/child_environment.hpp"

#include "handle/setting_table.hpp"
#include "handle/setting_value.hpp"

namespace gym::telemetry::detail {
namespace {

using variable_list = std::vector<std::pair<std::string, std::string>>;

// A blank variable is an unset one, so a blank value cannot be handed on; it is a default anyway.
void add(variable_list& list, std::string name, std::string text) {
    if (!trim(text).empty()) list.emplace_back(std::move(name), std::move(text));
}

void add_with_prefix(variable_list& list, std::string_view key, std::string text,
                     const environment& variables) {
    std::string name = variable_of(gym_prefix, key);
    if (variables.is_set(name) || variables.is_set(variable_of(lens_prefix, key))) return;
    add(list, std::move(name), std::move(text));
}

template <class T>
void add_row(variable_list& list, const setting_row<T>& row, const settings& resolved,
             const environment& variables) {
    // One process of a run sends what was emitted: as many streams of requests would be waste.
    if (row.key == "emitted") return;
    const T& value = resolved.*row.effective;
    if (row.variable.empty()) {
        add_with_prefix(list, row.key, text_of_value(value), variables);
        return;
    }
    const bool is_otlp = row.key.starts_with("otlp_");
    if (is_otlp && value == settings{}.*row.effective) return;
    if (!variables.is_set(row.variable)) add(list, std::string(row.variable), text_of_value(value));
}

}  // namespace

variable_list child_environment_of(const settings& resolved, const environment& variables) {
    variable_list list;
    if (!resolved.telemetry_on) return list;
    for_each_setting([&](const auto& row) { add_row(list, row, resolved, variables); });
    add_with_prefix(list, run_id_key, resolved.run_id.value_or(""), variables);
    return list;
}

}  // namespace gym::telemetry::detail
