// SPDX-License-Identifier: Apache-2.0
#include "health/row_identity.hpp"

#include "health/content.hpp"
#include "health/json_text.hpp"
#include "health/python_text.hpp"

namespace gym::telemetry::health {

namespace {

// Integers and texts, and what pydantic makes an integer of: booleans and integral doubles.
std::optional<row_index> index_of(json_value value, text_arena& arena) {
    if (value.is_string()) return row_index(arena.keep(value.text()));
    const auto integer = to_integer(value);
    if (!integer) return std::nullopt;
    return row_index(*integer);
}

std::string rollout_id_of(const row_fields& row, std::uint64_t ordinal) {
    std::string id;
    json_value named = row.rollout_id;
    if ((!named || !truthy(named)) && row.trajectory && row.trajectory.is_object())
        named = row.trajectory.find("rollout_id");
    if (named && truthy(named)) {
        append_python_text(id, named);
        return id;
    }
    // From the values as they stand in the row, before they become indices.
    if (row.task_index) {
        append_python_text(id, row.task_index);
    } else {
        id = std::to_string(ordinal);
    }
    id.push_back('-');
    if (row.rollout_index) {
        append_python_text(id, row.rollout_index);
    } else {
        id.push_back('0');
    }
    return id;
}

}  // namespace

std::string row_index::as_text() const {
    if (kind_ == kind::none) return "None";
    return is_text() ? std::string(text()) : integer_text(integer());
}

void row_index::append_json(std::string& out) const {
    if (is_text()) {
        append_json_string(out, text());
    } else {
        append_integer(out, integer());
    }
}

int compare(const row_index& a, const row_index& b) {
    const bool a_number = a.present() && !a.is_text();
    const bool b_number = b.present() && !b.is_text();
    if (a_number != b_number) return a_number ? -1 : 1;
    if (a_number) return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
    const std::string_view none = "None";
    return (a.present() ? a.text() : none).compare(b.present() ? b.text() : none);
}

std::optional<row_identity> identity_of(const row_fields& row, std::uint64_t ordinal,
                                        text_arena& arena, std::string_view& fault) {
    row_identity identity{.task = row_index(static_cast<wide_integer>(ordinal)),
                          .rollout = row_index(wide_integer{0})};
    const auto take = [&](json_value value, std::string_view key, row_index& into) {
        if (!value) return true;
        const auto index = index_of(value, arena);
        if (index) into = *index;
        if (!index) fault = key;
        return index.has_value();
    };
    const json_value stage =
        row.stage_index && row.stage_index.is_null() ? json_value() : row.stage_index;
    if (!take(row.task_index, "_ng_task_index", identity.task) ||
        !take(row.rollout_index, "_ng_rollout_index", identity.rollout) ||
        !take(stage, "stage_index", identity.stage))
        return std::nullopt;
    identity.rollout_id = arena.keep(rollout_id_of(row, ordinal));
    return identity;
}

row_identity unreadable_identity(std::uint32_t file, std::uint64_t line, text_arena& arena) {
    const std::string task =
        "__unreadable_record__:input-" + std::to_string(file) + ":line-" + std::to_string(line);
    return {.task = row_index(arena.keep(task)),
            .rollout = row_index(wide_integer{0}),
            .stage = {},
            .rollout_id = arena.keep(task + "-0")};
}

std::string_view dispatch_name_of(const row_fields& row) {
    const json_value server = row.environment_server;
    if (server && server.is_string() && !server.text().empty()) return server.text();
    if (row.agent_ref && row.agent_ref.is_object()) {
        const json_value name = row.agent_ref.find("name");
        if (name && name.is_string() && !name.text().empty()) return name.text();
    }
    return "unknown";
}

}  // namespace gym::telemetry::health
