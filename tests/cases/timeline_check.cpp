// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"
#include "timeline_play.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace gym::telemetry::cases {

namespace {

std::optional<std::int64_t> integer_in(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string list_of(const std::vector<startup_stage>& stages) {
    std::string to;
    for (const startup_stage& stage : stages)
        to += " " + stage.name + " " + std::to_string(stage.duration_ms()) + " ms";
    return to.empty() ? " none" : to;
}

bool same_stage(const std::vector<startup_stage>& stages, std::size_t i,
                const json_value& expected) {
    const startup_stage& stage = stages[i];
    const double ms = stage.duration_ms();
    if (stage.name != text_of(*expected.find("name"))) return false;
    for (const auto& [key, value] : expected.members) {
        if (key == "duration_ms" && std::abs(ms - number_of(value)) > 1) return false;
        if (key == "duration_ms_ge" && ms < number_of(value)) return false;
        if (key == "duration_ms_lt" && ms >= number_of(value)) return false;
        if (key == "start_ns" && stage.start_ns != int64_of(value)) return false;
        if (key != "end") continue;
        const bool is_last = i + 1 == stages.size();
        if (value.text == "=next.start") {
            if (is_last || stage.end_ns != stages[i + 1].start_ns) return false;
        } else if (stage.end_ns != stages.back().end_ns) {  // =timeline.end
            return false;
        }
    }
    return true;
}

void check_stages(const timeline_play& played, const json_value& expected) {
    const std::vector<startup_stage> stages = played.stages();
    require(stages.size() == expected.items.size(), "stages are" + list_of(stages));
    for (std::size_t i = 0; i < stages.size(); ++i)
        require(same_stage(stages, i, expected.items[i]),
                "stages are" + list_of(stages) + ", expected " + to_json(expected.items[i]));
}

std::string parent_of(const timeline_play& played, const finished_span& span) {
    if (span.parent == span_id{}) return {};
    for (const finished_span& other : played.spans)
        if (other.context.span == span.parent) return other.name;
    return "a span of another process";
}

void check_spans(const timeline_play& played, const json_value& expected) {
    std::vector<const finished_span*> left;
    std::string all;
    for (const finished_span& span : played.spans) {
        left.push_back(&span);
        all += " " + span.name + " in " + parent_of(played, span) + ";";
    }
    for (const json_value& wanted : expected.items) {
        const json_value* parent = wanted.find("parent");
        const auto at = std::ranges::find_if(left, [&](const finished_span* span) {
            return span->name == text_of(*wanted.find("name")) &&
                   (!parent || parent_of(played, *span) == text_of(*parent));
        });
        require(at != left.end(), "no span " + to_json(wanted) + "; there are:" + all);
        left.erase(at);
    }
    require(left.empty(), left.empty() ? "" : "unexpected span: " + left.front()->name);
}

std::int64_t count_spans(const timeline_play& played, const std::string& name) {
    return std::ranges::count(played.spans, name, &finished_span::name);
}

void check_variables(const timeline_play& played, const std::string& key, const json_value& names) {
    for (const json_value& item : names.items) {
        const std::string name = text_of(item);
        const auto handed_on = played.server_environment.find(name);
        const auto set = played.variables.find(name);
        if (key == "env_absent") {
            require(handed_on == played.server_environment.end() && set == played.variables.end(),
                    name + " is set");
        } else if (key == "env_positive") {
            require(handed_on != played.server_environment.end() &&
                        integer_in(handed_on->second).value_or(0) > 0,
                    name + " is no positive integer");
        } else {
            const std::string text = set == played.variables.end() ? std::string() : set->second;
            const std::int64_t stamp = integer_in(text).value_or(-1);
            require(stamp >= played.wall_before_ns && stamp <= played.wall_after_ns,
                    name + " lies not between the times before and after");
        }
    }
}

void check_property(timeline_play& played, const json_value& property) {
    const std::string& name = property.find("check")->text;
    require(name == "no_stage_negative" || name == "no_sample_above_ms",
            "property not checked: " + name);
    const bool negative = name == "no_stage_negative";
    for (const startup_stage& stage : played.stages())
        require(!negative || stage.duration_ms() >= 0, "a stage is negative: " + stage.name);
    for (const point& p : played.telemetry->seen().last()) {
        const histogram_value* h = histogram_of(p);
        if (h == nullptr) continue;
        if (negative)
            require(!h->min || *h->min >= 0, "a duration is negative: " + shown(p));
        else
            require(h->max && *h->max <= number_of(*property.find("n")),
                    "a duration is too long: " + shown(p));
    }
}

}  // namespace

void check_timeline(const case_file& c, timeline_play& played) {
    for (const auto& [key, value] : c.expect.members) {
        if (key == "stages") check_stages(played, value);
        if (key == "spans") check_spans(played, value);
        if (key == "spans_include")
            for (const json_value& name : value.items)
                require(count_spans(played, text_of(name)) > 0, "no span " + text_of(name));
        if (key == "span_count")
            for (const auto& [name, n] : value.members)
                require(count_spans(played, name) == int64_of(n),
                        std::to_string(count_spans(played, name)) + " spans " + name);
        if (key.starts_with("env_")) check_variables(played, key, value);
    }
    for (const json_value& property : c.properties()) check_property(played, property);
}

}  // namespace gym::telemetry::cases
