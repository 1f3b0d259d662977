// SPDX-License-Identifier: Apache-2.0
#include "case_file.hpp"

#include "values.hpp"
#include "verdict.hpp"

namespace gym::telemetry::cases {

namespace {

call read_call(const json_value& from) {
    call to;
    to.fn = from.find("fn")->text;
    if (const json_value* args = from.find("args")) to.args = *args;
    if (const json_value* repeat = from.find("repeat")) to.repeat = int64_of(*repeat);
    return to;
}

}  // namespace

const json_value& call::at(std::string_view name) const {
    const json_value* value = find(name);
    require(value != nullptr, fn + ": no argument " + std::string(name));
    return *value;
}

std::string call::text(std::string_view name) const {
    return text_or_empty(find(name));
}
std::int64_t call::integer(std::string_view name) const {
    return int64_of(at(name));
}
double call::number(std::string_view name) const {
    return number_of(at(name));
}

bool call::flag(std::string_view name, bool otherwise) const {
    const json_value* value = find(name);
    return value ? value->flag : otherwise;
}

std::string case_file::given_text(std::string_view key, std::string_view otherwise) const {
    const json_value* value = given.find(key);
    return value ? text_or_empty(value) : std::string(otherwise);
}

std::int64_t case_file::given_integer(std::string_view key, std::int64_t otherwise) const {
    const json_value* value = given.find(key);
    return value ? int64_of(*value) : otherwise;
}

bool case_file::given_flag(std::string_view key, bool otherwise) const {
    const json_value* value = given.find(key);
    return value ? value->flag : otherwise;
}

const std::vector<json_value>& case_file::properties() const {
    static const std::vector<json_value> none;
    const json_value* list = expects("properties");
    return list ? list->items : none;
}

const json_value* case_file::property(std::string_view check) const {
    for (const json_value& property : properties())
        if (property.find("check")->text == check) return &property;
    return nullptr;
}

std::string id_of_line(const json_value& line) {
    const json_value* id = line.find("id");
    return id && id->is_text() ? id->text : std::string();
}

std::vector<call> calls_of(const json_value& list) {
    std::vector<call> to;
    for (const json_value& item : list.items) to.push_back(read_call(item));
    return to;
}

case_file read_case(const json_value& line) {
    check_case(line);
    case_file to;
    to.line = line;
    to.id = line.find("id")->text;
    to.driver = line.find("driver")->text;
    if (const json_value* given = line.find("given")) to.given = *given;
    if (const json_value* calls = line.find("calls")) to.calls = calls_of(*calls);
    to.expect = *line.find("expect");
    return to;
}

}  // namespace gym::telemetry::cases
