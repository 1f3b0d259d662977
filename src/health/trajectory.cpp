// SPDX-License-Identifier: Apache-2.0
#include "health/trajectory.hpp"

#include "health/content.hpp"
#include "health/conversation_item.hpp"
#include "health/shape_check.hpp"

#include <cstddef>

namespace gym::telemetry::health {

namespace {

// Fields in the order of their shapes in schema_text.hpp.
namespace trajectory_field {
enum : std::size_t { schema_version, task_id, rollout_id, invocations, turns };
}
namespace invocation_field {
enum : std::size_t {
    kind,
    invocation_id,
    parent,
    spawned_by,
    status,
    duration,
    error,
    calls,
    items
};
}
namespace turn_field {
enum : std::size_t {
    invocation_id,
    task_id,
    rollout_id,
    turn_no,
    timestamp,
    question,
    answer,
    reasoning_content,
};
}
namespace reference_field {
enum : std::size_t { call_id, model_ref, response_id };
}
namespace call_field {
enum : std::size_t { call_id, started_at, completed_at, duration, request, response };
}
namespace metadata_field {
enum : std::size_t {
    response_id,
    model_ref,
    model,
    dialect,
    status_code,
    response_status,
    finish_reason,
    upstream_attempted,
    response_source,
    upstream_status_code,
    local_response_reason,
    error_category,
};
}
namespace tokens_field {
enum : std::size_t { prompt, completion };
}
namespace tool_field {
enum : std::size_t {
    kind,
    invocation_id,
    call_id,
    sandbox,
    name,
    started_at,
    completed_at,
    duration,
    source,
    status,
    error,
    output
};
}
namespace gap_field {
enum : std::size_t { code, invocation_id, detail };
}

// What may be anything can be nested so deeply, or the original cannot write it again: its writer
// has a fixed depth, of which an item of a conversation takes one.
constexpr std::uint32_t field_levels_max = 255;
constexpr std::uint32_t item_levels_max = 254;

optional_text text_of(json_value value) {
    if (!value || value.is_null()) return {};
    return {value.text(), true};
}

optional_text model_name_of(json_value model_ref) {
    if (!model_ref || model_ref.is_null()) return {};
    return text_of(model_ref.find("name"));
}

std::optional<wide_integer> integer_of(json_value value) {
    return value ? to_integer(value) : std::nullopt;
}

std::optional<double> number_of(json_value value) {
    return value ? to_number(value) : std::nullopt;
}

bool has_failed(const model_call& call, std::string_view response_status) {
    return (call.status_code && *call.status_code >= 400) || !call.error_category.empty() ||
           response_status == "failed" || response_status == "error" ||
           response_status == "cancelled";
}

}  // namespace

void trajectory_facts::clear() {
    calls.clear();
    turns.clear();
    turn_references.clear();
    invocation_references.clear();
    invocation_ids.clear();
    gaps.clear();
}

std::string_view name_of(trajectory_error error) {
    switch (error) {
        case trajectory_error::validation_error:
            return "ValidationError";
        case trajectory_error::type_error:
            return "TypeError";
        case trajectory_error::value_error:
            return "ValueError";
        case trajectory_error::none:
            break;
    }
    return "";
}

// Gathers facts while the shapes are checked.
class trajectory_observer final : public shape_observer {
public:
    explicit trajectory_observer(trajectory_reader& reader)
        : facts_(reader.facts_), keys_(reader.keys_), checker_(*this) {}

    trajectory_error read(json_value trajectory) {
        static const std::uint16_t node = shapes().named("trajectory");
        facts_.clear();
        if (checker_.check(node, trajectory))
            return too_deep_ ? trajectory_error::value_error : trajectory_error::none;
        raised_ = false;
        look_up_all_items(trajectory);
        return raised_ ? trajectory_error::type_error : trajectory_error::validation_error;
    }

    void before_object(shape_hook hook) override {
        if (hook == shape_hook::call) call_ = {};
        if (hook == shape_hook::turn) references_before_turn_ = facts_.turn_references.size();
    }

    void on_anything(json_value value) override {
        too_deep_ = too_deep_ || deeper_than(value, levels_max_);
    }

    bool on_object(shape_hook hook, const object_fields& fields) override {
        switch (hook) {
            case shape_hook::item:
                return on_item(fields);
            case shape_hook::call:
                return on_call(fields);
            case shape_hook::metadata:
                return on_metadata(fields);
            case shape_hook::tokens:
                return on_tokens(fields);
            case shape_hook::turn:
                return on_turn(fields);
            case shape_hook::turn_ref:
                return on_reference(fields, facts_.turn_references);
            case shape_hook::invocation_ref:
                return on_reference(fields, facts_.invocation_references);
            case shape_hook::invocation:
                return on_invocation(fields);
            case shape_hook::toolcall:
                return on_tool_call(fields);
            case shape_hook::gap:
                return on_gap(fields);
            case shape_hook::trajectory:
                return on_trajectory(fields);
            case shape_hook::video:
                return video_has_source(fields);
            case shape_hook::row:
            case shape_hook::none:
                break;
        }
        return true;
    }

private:
    bool on_item(const object_fields& fields) {
        static const std::uint16_t token_ids = shapes().named("token_ids");
        if (has_token_metadata(fields) && !checker_.check(token_ids, fields.self)) return false;
        const item_shape shape = find_item_shape(fields);
        raised_ = raised_ || shape.outcome == item_shape::verdict::raises;
        if (shape.outcome != item_shape::verdict::known) return false;
        levels_max_ = item_levels_max;
        const bool valid = checker_.check(shape.node, fields.self);
        levels_max_ = field_levels_max;
        return valid;
    }

    bool on_call(const object_fields& fields) {
        call_.call_id = text_of(fields[call_field::call_id]);
        call_.started_at = number_of(fields[call_field::started_at]);
        call_.response = fields[call_field::response];
        call_.successful =
            !call_.failed &&
            (!call_.status_code || (*call_.status_code >= 200 && *call_.status_code < 400));
        facts_.calls.push_back(call_);
        return true;
    }

    bool on_metadata(const object_fields& fields) {
        call_.response_id = text_of(fields[metadata_field::response_id]);
        call_.model_name = model_name_of(fields[metadata_field::model_ref]);
        call_.error_category = text_of(fields[metadata_field::error_category]);
        call_.finish_reason = text_of(fields[metadata_field::finish_reason]);
        call_.status_code = integer_of(fields[metadata_field::status_code]);
        call_.failed = has_failed(call_, text_of(fields[metadata_field::response_status]).text);
        return true;
    }

    bool on_tokens(const object_fields& fields) {
        call_.prompt_tokens = integer_of(fields[tokens_field::prompt]);
        call_.completion_tokens = integer_of(fields[tokens_field::completion]);
        return true;
    }

    bool on_reference(const object_fields& fields, std::vector<call_reference>& references) {
        const call_reference reference{
            .call_id = text_of(fields[reference_field::call_id]),
            .response_id = text_of(fields[reference_field::response_id]),
            .model_name = model_name_of(fields[reference_field::model_ref])};
        references.push_back(reference);
        return !reference.call_id.empty() ||
               (reference.model_name.present && !reference.response_id.empty());
    }

    bool on_turn(const object_fields& fields) {
        facts_.turns.push_back(
            {.invocation_id = fields[turn_field::invocation_id].text(),
             .task_id = fields[turn_field::task_id].text(),
             .rollout_id = fields[turn_field::rollout_id].text(),
             .turn_no = integer_of(fields[turn_field::turn_no]).value_or(0),
             .answer = fields[turn_field::answer],
             .reasoning = fields[turn_field::reasoning_content],
             .has_reference = facts_.turn_references.size() > references_before_turn_});
        return true;
    }

    bool on_invocation(const object_fields& fields) {
        facts_.invocation_ids.push_back(fields[invocation_field::invocation_id].text());
        return true;
    }

    bool on_tool_call(const object_fields& fields) {
        const auto started_at = number_of(fields[tool_field::started_at]);
        const auto completed_at = number_of(fields[tool_field::completed_at]);
        return !(started_at && completed_at && *completed_at < *started_at);
    }

    bool on_gap(const object_fields& fields) {
        facts_.gaps.push_back({.code = fields[gap_field::code].text(),
                               .invocation_id = text_of(fields[gap_field::invocation_id]),
                               .detail = text_of(fields[gap_field::detail])});
        return true;
    }

    bool on_trajectory(const object_fields& fields) {
        return unique_invocations() && unique_calls() && unique_turns() &&
               turns_belong_to(fields[trajectory_field::task_id].text(),
                               fields[trajectory_field::rollout_id].text());
    }

    bool unique_invocations() {
        keys_.clear();
        std::uint32_t position = 0;
        for (std::string_view id : facts_.invocation_ids) {
            const auto same = [&](std::uint32_t other) {
                return facts_.invocation_ids[other] == id;
            };
            if (keys_.find_or_add(text_hash(id), position++, same) != key_index::none) return false;
        }
        return true;
    }

    bool unique_calls() {
        keys_.clear();
        std::uint32_t position = 0;
        for (const model_call& call : facts_.calls) {
            const std::string_view id = call.call_id.text;
            const auto same = [&](std::uint32_t other) {
                return facts_.calls[other].call_id.text == id;
            };
            if (!id.empty() && keys_.find_or_add(text_hash(id), position, same) != key_index::none)
                return false;
            ++position;
        }
        return true;
    }

    bool unique_turns() {
        keys_.clear();
        std::uint32_t position = 0;
        for (const agent_turn& turn : facts_.turns) {
            const auto same = [&](std::uint32_t other) {
                return facts_.turns[other].turn_no == turn.turn_no &&
                       facts_.turns[other].invocation_id == turn.invocation_id;
            };
            const std::uint64_t hash =
                mix_hash(text_hash(turn.invocation_id), static_cast<std::uint64_t>(turn.turn_no));
            if (keys_.find_or_add(hash, position++, same) != key_index::none) return false;
        }
        return true;
    }

    bool turns_belong_to(std::string_view task_id, std::string_view rollout_id) const {
        for (const agent_turn& turn : facts_.turns)
            if (turn.task_id != task_id || turn.rollout_id != rollout_id) return false;
        return true;
    }

    // An invalid trajectory is a TypeError instead when looking any item up raises: the original
    // goes on after what is invalid, and an exception of another kind ends it.
    void look_up_all_items(json_value trajectory) {
        if (!trajectory.is_object()) return;
        const json_value invocations = trajectory.find("invocations");
        if (!invocations || !invocations.is_array()) return;
        invocations.each_element([&](json_value invocation) {
            if (invocation.is_object()) look_up_items(invocation.find("conversation"));
            return true;
        });
    }

    void look_up_items(json_value conversation) {
        static const std::uint16_t item = shapes().named("item");
        if (!conversation || !conversation.is_array()) return;
        conversation.each_element([&](json_value entry) {
            checker_.check(item, entry);
            return true;
        });
    }

    trajectory_facts& facts_;
    key_index& keys_;
    shape_checker checker_;
    model_call call_;
    std::size_t references_before_turn_ = 0;
    bool raised_ = false;
    std::uint32_t levels_max_ = field_levels_max;
    bool too_deep_ = false;
};

trajectory_error trajectory_reader::read(json_value trajectory) {
    return trajectory_observer(*this).read(trajectory);
}

}  // namespace gym::telemetry::health
