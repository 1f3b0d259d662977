// SPDX-License-Identifier: Apache-2.0
#include "handle/block.hpp"

#include "base/environment.hpp"
#include "handle/setting_table.hpp"
#include "handle/setting_value.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <simdjson.h>

namespace gym::telemetry::detail {
namespace {

namespace dom = simdjson::dom;

// A scalar as the text that a variable would hold; none for lists and mappings.
std::optional<std::string> scalar_text(const dom::element& value) {
    switch (value.type()) {
        case dom::element_type::STRING:
            return std::string(value.get_string().value_unsafe());
        case dom::element_type::ARRAY:
        case dom::element_type::OBJECT:
        case dom::element_type::NULL_VALUE:
            return std::nullopt;
        default:
            return simdjson::minify(value);
    }
}

// A list of scalars as their texts.
std::optional<std::vector<std::string>> list_of_texts(const dom::element& value) {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return std::nullopt;
    std::vector<std::string> texts;
    for (const dom::element item : array) {
        std::optional<std::string> text = scalar_text(item);
        if (!text) return std::nullopt;
        texts.push_back(*std::move(text));
    }
    return texts;
}

template <class T>
std::optional<T> value_of_json(std::string_view key, const dom::element& value) {
    if (auto texts = list_of_texts(value)) {
        if constexpr (std::is_same_v<T, std::vector<std::string>>) return texts;
        // What is a comma list in a variable may be a list here.
        const bool is_list = key == "exporter" || key == "span_groups";
        if constexpr (std::is_same_v<T, std::string>) {
            if (is_list) return join(*texts);
        }
        return std::nullopt;
    }
    const std::optional<std::string> text = scalar_text(value);
    if (!text) return std::nullopt;
    if constexpr (std::is_same_v<T, std::string>) {
        if (value.is_bool()) return std::nullopt;
    }
    return value_of_text<T>(*text);
}

// Headers carry keys of accounts, which must not end up in a log.
std::string shown_unless_secret(std::string_view key, std::string text) {
    return key == "otlp_headers" ? "..." : text;
}

template <class T>
void set_value(std::string_view key, const dom::element& value, std::optional<T>& member,
               const T& otherwise) {
    if (value.is_null()) return;
    member = value_of_json<T>(key, value);
    if (member) return;
    constexpr bool is_boolean = std::is_same_v<T, bool>;
    const std::string text = scalar_text(value).value_or(simdjson::minify(value));
    complain_unreadable(key, shown_unless_secret(key, text), kind_of_value<T>(),
                        is_boolean ? "false" : text_of_value(otherwise));
    if constexpr (is_boolean) member = false;
}

// Whether the key is one of the block's; then its value is set.
bool set_known(options& block, std::string_view key, const dom::element& value) {
    bool known = false;
    for_each_setting([&](const auto& row) {
        if (row.key != key) return;
        known = true;
        set_value(key, value, block.*row.block, settings{}.*row.effective);
    });
    if (known) return true;
    if (key == run_id_key) {
        set_value(key, value, block.run_id, std::string());
        return true;
    }
    if (key == "server_name") {
        set_value(key, value, block.server_name, std::string());
        return true;
    }
    return false;
}

// A mapping in the block whose keys stand in the table behind a dot, such as memory_profiling.
bool is_mapping_of_table(std::string_view key) {
    bool found = false;
    for_each_setting([&](const auto& row) {
        found = found || (row.key.starts_with(key) && row.key.substr(key.size()).starts_with('.'));
    });
    return found;
}

void set_mapping(options& block, const std::string& key, const dom::element& value) {
    if (value.is_null()) return;
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
        complain_unreadable(key, simdjson::minify(value), "a mapping", {});
        return;
    }
    for (const auto [name, item] : object) {
        const std::string nested = key + '.' + std::string(name);
        if (!set_known(block, nested, item))
            block.extra.emplace_back(nested, simdjson::minify(item));
    }
}

}  // namespace

result<options> options_from_entries(
    std::span<const std::pair<std::string, std::string>> key_and_json) {
    options block;
    dom::parser parser;
    for (const auto& [key, json] : key_and_json) {
        dom::element value;
        if (const auto failure = parser.parse(json).get(value); failure != simdjson::SUCCESS) {
            return {errc::invalid, key + ": " + shown(shown_unless_secret(key, json)) +
                                       " is no JSON: " + simdjson::error_message(failure)};
        }
        if (is_mapping_of_table(key)) {
            set_mapping(block, key, value);
        } else if (!set_known(block, key, value)) {
            block.extra.emplace_back(key, json);
        }
    }
    return block;
}

}  // namespace gym::telemetry::detail
