// SPDX-License-Identifier: Apache-2.0
//
// Prints the table of instruments as JSON. docs/instruments.md is generated from it, the contract
// test compares it with the API page, and other languages take their constants from it.
#include "instruments/catalogue.hpp"
#include "instruments/rules.hpp"

#include <charconv>
#include <cstdio>
#include <string>

namespace {

using namespace gym::telemetry;

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string_view name_of(instrument_kind kind) {
    switch (kind) {
        case instrument_kind::counter:
            return "counter";
        case instrument_kind::up_down_counter:
            return "up_down_counter";
        case instrument_kind::observable_counter:
            return "observable_counter";
        case instrument_kind::gauge:
            return "gauge";
        case instrument_kind::histogram:
            return "histogram";
    }
    return "";
}

std::string_view name_of(engine::value_rule rule) {
    switch (rule) {
        case engine::value_rule::as_given:
            return "as_given";
        case engine::value_rule::closed_set:
            return "closed_set";
        case engine::value_rule::name:
            return "name";
        case engine::value_rule::failure_kind:
            return "failure_kind";
    }
    return "";
}

template <class Range, class Text>
std::string list(const Range& range, Text text) {
    std::string result = "[";
    for (const auto& each : range) {
        if (result.size() > 1) result += ", ";
        result += text(each);
    }
    return result + "]";
}

std::string attribute(const engine::attribute_row& row) {
    const bool boolean = row.type == engine::attribute_type::boolean;
    return "{\"key\": " + quoted(row.key) + ", \"type\": " + (boolean ? "\"bool\"" : "\"string\"") +
           ", \"optional\": " + (row.optional ? "true" : "false") +
           ", \"rule\": " + quoted(name_of(row.rule)) + ", \"values\": " + list(row.known, quoted) +
           "}";
}

std::string instrument(const engine::instrument_row& row) {
    return "  {\"name\": " + quoted(row.name) + ", \"kind\": " + quoted(name_of(row.kind)) +
           ", \"unit\": " + quoted(row.unit) + ", \"description\": " + quoted(row.description) +
           ",\n   \"recorder\": " + quoted(row.recorder) +
           ", \"extension\": " + (row.extension ? "true" : "false") +
           ", \"self_metric\": " + (row.self_metric ? "true" : "false") +
           ",\n   \"boundaries\": " + list(row.bounds, number) +
           ",\n   \"attributes\": " + list(row.attributes, attribute) + "}";
}

}  // namespace

int main() {
    std::string out =
        "{\"registered_failure_kinds\": " + list(instruments::registered_failure_kinds, quoted) +
        ",\n \"unregistered_failure_kind\": " + quoted(unregistered_failure_kind) +
        ",\n \"instruments\": [\n";
    bool first = true;
    for (const auto& row : instruments::catalogue) {
        if (!first) out += ",\n";
        first = false;
        out += instrument(row);
    }
    out += "\n]}\n";
    return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
