// SPDX-License-Identifier: Apache-2.0
//
// Driver `unit`: one pure function.
#include "base/prometheus_name.hpp"
#include "compare.hpp"
#include "drivers.hpp"
#include "instruments/rules.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <map>

namespace gym::telemetry::cases {

namespace {

void failure_kind_label(const call& f, const case_file& c) {
    const std::string kind = f.text("kind");
    const std::string_view label = instruments::failure_kind_label(kind);
    const json_value* expected = c.expects("label");
    require(expected != nullptr, "the case expects no label");
    // An empty label is an attribute that is left out.
    const std::string wanted = text_or_empty(expected);
    require(label == wanted, "label is " + json_text(label) + ", expected " + to_json(*expected));
}

void prometheus_name(const call& f, const case_file& c) {
    const auto suffixes = f.flag("suffixes") ? detail::prometheus_suffixes::unit_and_type
                                             : detail::prometheus_suffixes::none;
    const std::string name =
        detail::prometheus_name(f.text("name"), f.text("unit"), kind_of(f.text("kind")), suffixes);
    const json_value* expected = c.expects("name");
    require(expected != nullptr, "the case expects no name");
    require(name == text_of(*expected), "name is " + json_text(name));
}

void prometheus_labels(const call& f, const case_file& c) {
    std::vector<std::pair<std::string, std::string>> attributes;
    for (const auto& [key, value] : f.at("attributes").members)
        attributes.emplace_back(key, text_of(value));
    std::map<std::string, std::string> expected;
    require(c.expects("labels") != nullptr, "the case expects no labels");
    for (const auto& [key, value] : c.expects("labels")->members) expected[key] = text_of(value);

    const auto labels = detail::prometheus_labels(attributes);
    std::string shown;
    for (const auto& [key, value] : labels) shown += key + "=" + json_text(value) + " ";
    require(std::map<std::string, std::string>(labels.begin(), labels.end()) == expected,
            "labels are " + shown);
}

}  // namespace

void play_unit(const case_file& c) {
    for (const call& f : c.calls) {
        if (f.fn == "failure_kind_label")
            failure_kind_label(f, c);
        else if (f.fn == "prometheus_name")
            prometheus_name(f, c);
        else if (f.fn == "prometheus_labels")
            prometheus_labels(f, c);
        else
            throw failure("call not played: " + f.fn);
    }
}

}  // namespace gym::telemetry::cases
