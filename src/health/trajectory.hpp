// SPDX-License-Identifier: Apache-2.0
//
// What the checks need to know of a valid trajectory. All texts and values point into the row that
// was read and live as long as it does.
#pragma once

#include "health/conversions.hpp"
#include "health/json_value.hpp"
#include "health/key_index.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

// A text that may be absent or null, which is not the same as empty where two are compared.
struct optional_text {
    std::string_view text;
    bool present = false;

    bool empty() const { return text.empty(); }
    friend bool operator==(const optional_text&, const optional_text&) = default;
};

struct call_reference {
    optional_text call_id;
    optional_text response_id;
    // A model_ref has one type only, so its name says all.
    optional_text model_name;
};

struct model_call {
    optional_text call_id;
    optional_text response_id;
    optional_text model_name;
    optional_text error_category;
    optional_text finish_reason;
    std::optional<double> started_at;
    std::optional<wide_integer> status_code;
    std::optional<wide_integer> prompt_tokens;
    std::optional<wide_integer> completion_tokens;
    json_value response;
    bool failed = false;
    bool successful = false;
};

struct agent_turn {
    std::string_view invocation_id;
    std::string_view task_id;
    std::string_view rollout_id;
    wide_integer turn_no = 0;
    json_value answer;
    json_value reasoning;
    bool has_reference = false;
};

struct observation_gap {
    std::string_view code;
    optional_text invocation_id;
    optional_text detail;
};

struct trajectory_facts {
    std::vector<model_call> calls;
    std::vector<agent_turn> turns;
    std::vector<call_reference> turn_references;
    std::vector<call_reference> invocation_references;
    std::vector<std::string_view> invocation_ids;
    std::vector<observation_gap> gaps;

    void clear();
};

// Why a trajectory is unreadable: the name of the exception that the original meets.
enum class trajectory_error : std::uint8_t {
    none,
    validation_error,
    type_error,   // an item of a conversation holds an array or object where a word is looked up
    value_error,  // nested too deeply to be written again
};

std::string_view name_of(trajectory_error error);

// Reads trajectories one after another into the same facts. Not thread-safe: one a thread.
class trajectory_reader {
public:
    trajectory_error read(json_value trajectory);
    const trajectory_facts& facts() const { return facts_; }

private:
    friend class trajectory_observer;

    trajectory_facts facts_;
    key_index keys_;
};

}  // namespace gym::telemetry::health
