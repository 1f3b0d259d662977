// SPDX-License-Identifier: Apache-2.0
//
// One case: a line of a cases file.
#pragma once

#include "json_value.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

struct call {
    std::string fn;
    json_value args;
    std::int64_t repeat = 1;

    // The argument of this name. `at` is for required ones, which the type check saw.
    const json_value* find(std::string_view name) const { return args.find(name); }
    const json_value& at(std::string_view name) const;
    std::string text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    double number(std::string_view name) const;
    bool flag(std::string_view name, bool otherwise = false) const;
};

struct case_file {
    json_value line;  // the whole of it
    std::string id;
    std::string driver;
    json_value given;
    std::vector<call> calls;
    json_value expect;

    const json_value* expects(std::string_view key) const { return expect.find(key); }
    std::string given_text(std::string_view key, std::string_view otherwise = "") const;
    std::int64_t given_integer(std::string_view key, std::int64_t otherwise) const;
    bool given_flag(std::string_view key, bool otherwise) const;
    // The properties of `expect`.
    const std::vector<json_value>& properties() const;
    const json_value* property(std::string_view check) const;
};

// The id of a line that may hold anything else, for reports; empty when there is none.
std::string id_of_line(const json_value& line);

// Throws failure when the line is no case, or holds a word or a form that the vocabulary lacks.
case_file read_case(const json_value& line);

// A list of calls inside an argument, which the type check let through.
std::vector<call> calls_of(const json_value& list);

// Throws failure unless the value is of the type that the vocabulary gives for this place.
void check_case(const json_value& line);

}  // namespace gym::telemetry::cases
