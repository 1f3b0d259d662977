// SPDX-License-Identifier: Apache-2.0
//
// Holds a case to the vocabulary: no unknown word, key or form of a value anywhere in it.
#include "case_file.hpp"
#include "values.hpp"
#include "verdict.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <array>

namespace gym::telemetry::cases {

namespace {

using form = type_alternative::form;

class checker {
public:
    explicit checker(std::string driver) : driver_(std::move(driver)) {}

    void keys(const word_table& table, const json_value& object, const std::string& place) const {
        require(object.is_object(), place + " is no object");
        for (const auto& [key, value] : object.members) {
            const word_entry* word = find_word(table, key, driver_);
            require(word != nullptr, "unknown word in " + place + ": " + key);
            field(word->fields.at(""), value, place + "." + key);
        }
    }

    void calls(const json_value& list, const std::string& place) const {
        require(list.is_array(), place + " is no list");
        for (const json_value& item : list.items) one_call(item, place);
    }

private:
    void one_call(const json_value& item, const std::string& place) const {
        const json_value* fn = item.find("fn");
        require(fn && fn->is_text(), place + ": a call without fn");
        for (const auto& [key, value] : item.members)
            require(key == "fn" || key == "args" || (key == "repeat" && is_int_form(value)),
                    "unknown key of a call: " + key);
        const word_entry* word = find_word(the_vocabulary().calls, fn->text, driver_);
        require(word != nullptr, "unknown call: " + fn->text);
        const json_value* args = item.find("args");
        object(
            word->fields,
            args ? *args : json_value{.is = json_value::type::object, .items = {}, .members = {}},
            fn->text);
    }

    void object(const field_types& fields, const json_value& value, const std::string& place,
                std::string_view besides = "") const {
        require(value.is_object(), place + " is no object");
        for (const auto& [key, member] : value.members) {
            if (!besides.empty() && key == besides) continue;
            const auto at = fields.find(key);
            require(at != fields.end(), "unknown key in " + place + ": " + key);
            field(at->second, member, place + "." + key);
        }
        for (const auto& [name, type] : fields)
            require(type.optional || value.find(name) != nullptr, place + " lacks " + name);
    }

    void field(const field_type& type, const json_value& value, const std::string& place) const {
        type_of(type.type, value, place);
    }

    void type_of(const type_expression& type, const json_value& value,
                 const std::string& place) const {
        std::string reason;
        for (const type_alternative& alternative : type) {
            try {
                return one_of(alternative, value, place);
            } catch (const failure& error) {
                reason = error.what();
            }
        }
        throw failure(type.size() == 1 ? reason
                                       : "unknown value in " + place + ": " + to_json(value));
    }

    void one_of(const type_alternative& type, const json_value& value,
                const std::string& place) const {
        if (type.is == form::name) return named(type.name, value, place);
        bool holds = false;
        if (type.is == form::word) {
            holds = value.is_text() && value.text == type.name;
        } else if (type.is == form::list) {
            holds = value.is_array();
            for (const json_value& item : value.items) type_of(type.inner, item, place + "[]");
        } else {
            holds = value.is_object();
            for (const auto& member : value.members)
                type_of(type.inner, member.second, place + "." + member.first);
        }
        require(holds, "unknown value in " + place + ": " + to_json(value));
    }

    void named(const std::string& name, const json_value& value, const std::string& place) const {
        if (name == "any") return;
        if (name == "calls") return calls(value, place);
        if (name == "snapshot") return snapshot(value, place);
        if (name == "property") return property(value);
        const vocabulary& words = the_vocabulary();
        if (const auto at = words.word_types.find(name); at != words.word_types.end())
            return require(value.is_text() && at->second.contains(value.text),
                           "unknown word in " + place + ": " + to_json(value));
        if (const auto at = words.types.find(name); at != words.types.end())
            return object(at->second, value, place);
        require(basic(name, value), place + " is no " + name + ": " + to_json(value).substr(0, 80));
    }

    static bool basic(const std::string& name, const json_value& value) {
        if (name == "text") return is_text_form(value);
        if (name == "int") return is_int_form(value);
        if (name == "num") return is_num_form(value);
        if (name == "bool") return value.is == json_value::type::boolean;
        if (name == "null") return value.is_null();
        if (name == "checks") return is_check_list(value);
        throw failure("unknown type in the vocabulary: " + name);
    }

    static bool is_check_list(const json_value& value) {
        const json_value* list = &value;
        if (value.is_object()) {
            list = value.find("$once");
            const json_value* raises = value.find("$raises_at_end");
            if (list == nullptr || value.members.size() != (raises ? 2 : 1)) return false;
            if (raises && raises->is != json_value::type::boolean) return false;
        }
        return list->is_array() && std::ranges::all_of(list->items, is_text_form);
    }

    void snapshot(const json_value& value, const std::string& place) const {
        require(value.is_object(), place + " is no snapshot");
        const json_value* raises = value.find("$raises");
        const json_value* called = value.find("$calls");
        const json_value* sleep = value.find("$sleep_ms");
        if (!raises && !called && !sleep)
            return one_of({form::map, {}, {{form::name, "int", {}}}}, value, place);
        const json_value* inner = value.find("value");
        bool holds = value.members.size() == (inner ? 2 : 1) && !(raises && inner);
        if (raises) holds = holds && raises->is == json_value::type::boolean && raises->flag;
        if (called)
            holds = holds && called->is_text() &&
                    (called->text == "record_sandbox_create_retry" || called->text == "unregister");
        if (sleep) holds = holds && is_int_form(*sleep);
        require(holds, "unknown form of a snapshot: " + to_json(value));
        if (inner) one_of({form::map, {}, {{form::name, "int", {}}}}, *inner, place + ".value");
    }

    void property(const json_value& value) const {
        const json_value* check = value.find("check");
        require(check && check->is_text(), "a property without check");
        const word_entry* word = find_word(the_vocabulary().properties, check->text, driver_);
        require(word != nullptr, "unknown property: " + check->text);
        object(word->fields, value, check->text, "check");
    }

    std::string driver_;
};

// The drivers of the README, which every table of the vocabulary draws from.
bool is_driver(std::string_view name) {
    static constexpr std::array<std::string_view, 12> names = {
        "inproc", "unit",   "rollout_row", "sandbox_wrapper", "pool", "timeline",
        "config", "health", "process",     "python",          "cli",  "receiver"};
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

void check_case(const json_value& line) {
    static constexpr std::array<std::string_view, 9> keys = {
        "id", "source", "kind", "status", "api", "driver", "given", "calls", "expect"};
    require(line.is_object(), "a case is an object");
    for (const auto& member : line.members)
        require(std::ranges::find(keys, member.first) != keys.end(),
                "unknown key of a case: " + member.first);
    for (const std::string_view key : {"id", "driver"})
        require(line.find(key) && line.find(key)->is_text(), "no " + std::string(key));
    const std::string& driver = line.find("driver")->text;
    require(is_driver(driver), "unknown driver: " + driver);

    const vocabulary& words = the_vocabulary();
    const checker check(driver);
    if (const json_value* given = line.find("given")) check.keys(words.given, *given, "given");
    if (const json_value* calls = line.find("calls")) check.calls(*calls, "calls");
    require(line.find("expect") != nullptr, "no expect");
    check.keys(words.expect, *line.find("expect"), "expect");
}

}  // namespace gym::telemetry::cases
