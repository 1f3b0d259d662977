// SPDX-License-Identifier: Apache-2.0
//
// The published cases of the configuration, one test a line of data/config_cases.jsonl.
#include "base/environment.hpp"
#include "complaints.hpp"
#include "handle/block.hpp"
#include "handle/child_environment.hpp"
#include "handle/configuration.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

namespace gym::telemetry::detail {
namespace {

namespace dom = simdjson::dom;

struct config_case {
    std::string id;
    dom::element json;
};

void PrintTo(const config_case& one, std::ostream* out) {
    *out << one.id;
}

// Each line keeps its parser, which owns what was parsed.
std::vector<config_case> all_cases() {
    static std::vector<std::unique_ptr<dom::parser>> parsers;
    std::vector<config_case> cases;
    std::ifstream file(GYM_TELEMETRY_SOURCE_DIR "/tests/unit/handle/data/config_cases.jsonl");
    for (std::string line; std::getline(file, line);) {
        const dom::element json =
            parsers.emplace_back(std::make_unique<dom::parser>())->parse(line).value();
        cases.push_back({std::string(json["id"].get_string().value()), json});
    }
    return cases;
}

// A range-based for must not walk a temporary, which is what get_array() and value() give.
dom::array array_of(dom::element value) {
    return value.get_array().value();
}
dom::object object_of(dom::element value) {
    return value.get_object().value();
}

std::vector<std::string> texts_of(dom::element list) {
    std::vector<std::string> texts;
    for (const dom::element item : array_of(list)) {
        texts.emplace_back(item.get_string().value());
    }
    return texts;
}

struct played_case {
    settings resolved;
    environment variables;
    std::vector<std::pair<std::string, std::string>> for_children;
    std::vector<std::string> messages;
    bool mentioned = true;
};

played_case play(dom::element given, dom::element expect) {
    const test::complaints heard;
    variable_map variables;
    for (const auto [name, value] : object_of(given["env"].value())) {
        variables.emplace(name, value.get_string().value());
    }
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto [key, value] : object_of(given["config"].value())) {
        entries.emplace_back(key, simdjson::minify(value));
    }
    played_case played;
    played.variables = environment(variables);
    const result<options> block = options_from_entries(entries);
    EXPECT_TRUE(block);
    played.resolved = resolve_settings(*block, played.variables);
    played.for_children = child_environment_of(played.resolved, played.variables);
    played.messages = heard.all();
    dom::element mentions;
    if (expect["diagnostic_mentions"].get(mentions) == simdjson::SUCCESS) {
        played.mentioned = heard.mentions(texts_of(mentions));
    }
    return played;
}

using check = std::function<void(const played_case&, dom::element)>;

check text_is(std::string settings::* member) {
    return [member](const played_case& played, dom::element expected) {
        EXPECT_EQ(played.resolved.*member, std::string_view(expected));
    };
}

check number_is(std::int64_t settings::* member) {
    return [member](const played_case& played, dom::element expected) {
        EXPECT_EQ(played.resolved.*member, std::int64_t(expected));
    };
}

check boolean_is(bool settings::* member) {
    return [member](const played_case& played, dom::element expected) {
        EXPECT_EQ(played.resolved.*member, bool(expected));
    };
}

const std::map<std::string_view, check>& checks() {
    static const std::map<std::string_view, check>& table = *new std::map<std::string_view, check>{
        {"enabled", boolean_is(&settings::enabled)},
        {"telemetry_on", boolean_is(&settings::telemetry_on)},
        {"metrics_enabled", boolean_is(&settings::metrics_enabled)},
        {"service_name", text_is(&settings::service_name)},
        {"span_groups", text_is(&settings::span_groups)},
        {"exporter", text_is(&settings::exporter)},
        {"otlp_endpoint", text_is(&settings::otlp_endpoint)},
        {"temporality", text_is(&settings::temporality_preference)},
        {"otlp_timeout_ms", number_is(&settings::otlp_timeout_ms)},
        {"export_interval_ms", number_is(&settings::export_interval_ms)},
        {"cardinality_limit", number_is(&settings::cardinality_limit)},
        {"shutdown_timeout_ms", number_is(&settings::shutdown_timeout_ms)},
        {"health_check_ignored_checks",
         [](const played_case& played, dom::element expected) {
             EXPECT_THAT(played.resolved.health_check_ignored_checks,
                         testing::UnorderedElementsAreArray(texts_of(expected)));
         }},
        {"run_id",
         [](const played_case& played, dom::element expected) {
             if (expected.is_null()) {
                 EXPECT_FALSE(played.resolved.run_id.has_value());
             } else {
                 EXPECT_EQ(played.resolved.run_id, std::string_view(expected));
             }
         }},
        {"extra",
         [](const played_case& played, dom::element expected) {
             std::vector<std::pair<std::string, std::string>> wanted;
             for (const auto [key, value] : object_of(expected)) {
                 wanted.emplace_back(key, simdjson::minify(value));
             }
             EXPECT_EQ(played.resolved.extra, wanted);
         }},
        {"env_absent",
         [](const played_case& played, dom::element expected) {
             for (const std::string& name : texts_of(expected)) {
                 EXPECT_FALSE(played.variables.is_set(name)) << name;
                 EXPECT_TRUE(std::none_of(played.for_children.begin(), played.for_children.end(),
                                          [&name](const auto& one) { return one.first == name; }))
                     << name;
             }
         }},
        {"diagnostics",
         [](const played_case& played, dom::element expected) {
             EXPECT_EQ(played.messages.size(), std::uint64_t(expected));
         }},
        {"diagnostic_mentions",
         [](const played_case& played, dom::element) { EXPECT_TRUE(played.mentioned); }},
    };
    return table;
}

class ConfigCase : public testing::TestWithParam<config_case> {};

TEST_P(ConfigCase, HoldsWhatIsExpected) {
    const dom::element expect = GetParam().json["expect"].value();
    const played_case played = play(GetParam().json["given"].value(), expect);
    SCOPED_TRACE(testing::PrintToString(played.messages));
    for (const auto [key, value] : object_of(expect)) {
        SCOPED_TRACE(std::string(key));
        const auto found = checks().find(key);
        ASSERT_NE(found, checks().end()) << "a word that this test does not know";
        found->second(played, value);
    }
}

INSTANTIATE_TEST_SUITE_P(Published, ConfigCase, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<config_case>& one) {
                             std::string name = one.param.id;
                             std::replace_if(
                                 name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                             return name;
                         });

}  // namespace
}  // namespace gym::telemetry::detail
