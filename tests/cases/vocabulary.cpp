// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include "verdict.hpp"

namespace gym::telemetry::cases {

extern const std::string_view vocabulary_page;  // made from data/vocabulary.md

namespace {

std::string_view trim(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::string_view without_ticks(std::string_view text) {
    text = trim(text);
    if (text.size() >= 2 && text.starts_with('`') && text.ends_with('`'))
        text = text.substr(1, text.size() - 2);
    return text;
}

// Splits at `at`, but not inside of brackets, quotes or `ticks`.
std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    int depth = 0;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' || c == '`') quoted = !quoted;
        if (quoted) continue;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c == at && depth == 0) {
            parts.push_back(trim(text.substr(begin, i - begin)));
            begin = i + 1;
        }
    }
    parts.push_back(trim(text.substr(begin)));
    return parts;
}

type_expression parse_type(std::string_view text);

type_alternative parse_alternative(std::string_view text) {
    using form = type_alternative::form;
    if (text.size() >= 2) {
        const std::string_view inside = text.substr(1, text.size() - 2);
        if (text.starts_with('[')) return {form::list, {}, parse_type(inside)};
        if (text.starts_with('{')) return {form::map, {}, parse_type(inside)};
        if (text.starts_with('"')) return {form::word, std::string(inside), {}};
    }
    return {form::name, std::string(text), {}};
}

type_expression parse_type(std::string_view text) {
    type_expression to;
    for (const std::string_view alternative : split(text, '/'))
        to.push_back(parse_alternative(alternative));
    return to;
}

void add_field(field_types& to, std::string_view name, std::string_view type) {
    const bool optional = name.ends_with('?');
    if (optional) name.remove_suffix(1);
    to[std::string(name)] = {optional, parse_type(type)};
}

// `name: type, name?: type`, or - for none.
field_types parse_fields(std::string_view cell) {
    field_types to;
    const std::string_view text = without_ticks(cell);
    if (text == "-") return to;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t colon = part.find(':');
        require(colon != part.npos, "vocabulary: no type in " + std::string(part));
        add_field(to, part.substr(0, colon), trim(part.substr(colon + 1)));
    }
    return to;
}

std::set<std::string, std::less<>> parse_drivers(std::string_view cell) {
    std::set<std::string, std::less<>> to;
    for (const std::string_view name : split(cell, ' '))
        if (!name.empty()) to.emplace(name);
    return to;
}

// Reads the tables of the page, line by line.
class page_reader {
public:
    void line(std::string_view text) {
        if (text.starts_with("## ")) {
            section_ = trim(text.substr(3));
            type_ = {};
        } else if (text.starts_with("### ")) {
            type_ = without_ticks(text.substr(4));
            if (section_ == "Types") to_.types[std::string(type_)];
        } else if (text.starts_with("| ") && !text.starts_with("| ---")) {
            row(split(text.substr(1), '|'));
        }
    }
    vocabulary take() { return std::move(to_); }

private:
    void row(const std::vector<std::string_view>& cells) {
        const std::string name(without_ticks(cells.at(0)));
        if (name == "fn" || name == "check" || name == "key") return;  // the table's head
        if (section_ == "Calls") {
            add(to_.calls, name, cells.at(1), parse_fields(cells.at(2)));
        } else if (section_ == "Properties") {
            add(to_.properties, name, cells.at(1), parse_fields(cells.at(2)));
        } else if (section_ == "given" || section_ == "expect") {
            field_types only;
            add_field(only, "", without_ticks(cells.at(2)));
            add(section_ == "given" ? to_.given : to_.expect, name, cells.at(1), only);
        } else if (section_ == "Types") {
            if (without_ticks(cells.at(1)) == "-")
                to_.word_types[std::string(type_)].insert(name);
            else
                add_field(to_.types[std::string(type_)], name, without_ticks(cells.at(1)));
        }
    }
    static void add(word_table& to, const std::string& name, std::string_view drivers,
                    field_types fields) {
        to[name].push_back({parse_drivers(drivers), std::move(fields)});
    }

    vocabulary to_;
    std::string_view section_;
    std::string_view type_;
};

}  // namespace

vocabulary parse_vocabulary(std::string_view page) {
    page_reader reader;
    while (!page.empty()) {
        const std::size_t end = page.find('\n');
        reader.line(page.substr(0, end));
        page.remove_prefix(end == page.npos ? page.size() : end + 1);
    }
    return reader.take();
}

const vocabulary& the_vocabulary() {
    static const vocabulary parsed = parse_vocabulary(vocabulary_page);
    return parsed;
}

const word_entry* find_word(const word_table& table, std::string_view word,
                            std::string_view driver) {
    const auto at = table.find(word);
    if (at == table.end()) return nullptr;
    for (const word_entry& entry : at->second)
        if (entry.drivers.contains(driver)) return &entry;
    return nullptr;
}

}  // namespace gym::telemetry::cases
