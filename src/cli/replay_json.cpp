// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string_view>
#include <variant>

#include <cli/json_text.hpp>
#include <cli/replay_json.hpp>

namespace gymtel {
namespace {

namespace telemetry = gym::telemetry;

constexpr std::string_view own_figures = "gym.telemetry.";

std::string_view name_of(telemetry::instrument_kind kind) {
    switch (kind) {
        case telemetry::instrument_kind::counter:
            return "counter";
        case telemetry::instrument_kind::up_down_counter:
            return "up_down_counter";
        case telemetry::instrument_kind::observable_counter:
            return "observable_counter";
        case telemetry::instrument_kind::gauge:
            return "gauge";
        case telemetry::instrument_kind::histogram:
            return "histogram";
    }
    return "";
}

template <class Range>
void append_list(std::string& out, std::string_view key, const Range& values) {
    out += key;
    bool first = true;
    for (const auto value : values) {
        if (!first) out += ',';
        first = false;
        append_json(out, value);
    }
    out += ']';
}

void append_attributes(std::string& out, const telemetry::point& p) {
    bool first = true;
    for (const auto& [key, value] : p.attributes) {
        if (!first) out += ',';
        first = false;
        append_json(out, key);
        out += ':';
        if (const bool* flag = std::get_if<bool>(&value); flag != nullptr)
            out += *flag ? "true" : "false";
        else
            append_json(out, std::get<std::string>(value));
    }
}

void append_histogram(std::string& out, const telemetry::histogram_value& h) {
    out += "\"count\":";
    append_json(out, h.count);
    out += ",\"sum\":";
    append_json(out, h.sum);
    append_list(out, ",\"bounds\":[", h.bounds);
    append_list(out, ",\"bucket_counts\":[", h.bucket_counts);
    const auto optional = [&out](std::string_view key, const std::optional<double>& value) {
        if (!value) return;
        out += key;
        append_json(out, *value);
    };
    optional(",\"min\":", h.min);
    optional(",\"max\":", h.max);
}

void append_point(std::string& out, const telemetry::point& p) {
    out += "{\"instrument\":";
    append_json(out, p.instrument);
    out += ",\"kind\":";
    append_json(out, name_of(p.kind));
    out += ",\"attributes\":{";
    append_attributes(out, p);
    out += "},";
    if (const auto* h = std::get_if<telemetry::histogram_value>(&p.value); h != nullptr) {
        append_histogram(out, *h);
    } else {
        out += "\"value\":";
        if (const auto* integer = std::get_if<std::int64_t>(&p.value); integer != nullptr)
            append_json(out, *integer);
        else
            append_json(out, std::get<double>(p.value));
    }
    out += '}';
}

}  // namespace

std::string to_json(const telemetry::collection& collected, const replay_counts& counts) {
    std::string out = "{\"points\":[";
    bool first = true;
    for (const telemetry::point& p : collected.points) {
        if (p.instrument.starts_with(own_figures)) continue;
        if (!first) out += ',';
        first = false;
        append_point(out, p);
    }
    out += "],\"rows\":";
    append_json(out, counts.rows);
    out += ",\"rows_rejected\":";
    append_json(out, counts.rejected);
    out += ",\"files\":";
    append_json(out, counts.files);
    out += "}\n";
    return out;
}

}  // namespace gymtel
