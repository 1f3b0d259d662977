// SPDX-License-Identifier: Apache-2.0
//
// The words that a case may use, read from data/vocabulary.md itself, which is compiled in: so the
// page and the check cannot differ.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::cases {

// One alternative of a type: `text`, `"word"`, `[T]`, `{T}` or a name.
struct type_alternative;
using type_expression = std::vector<type_alternative>;
struct type_alternative {
    enum class form { name, word, list, map } is = form::name;
    std::string name;       // of a name or a word
    type_expression inner;  // of a list or a map
};

struct field_type {
    bool optional = false;
    type_expression type;
};
using field_types = std::map<std::string, field_type, std::less<>>;

struct word_entry {
    std::set<std::string, std::less<>> drivers;
    field_types fields;  // arguments of a call, fields of a property, or one named "" of a key
};
// Some words mean different things to different drivers, hence a list.
using word_table = std::map<std::string, std::vector<word_entry>, std::less<>>;

struct vocabulary {
    word_table calls;
    word_table given;
    word_table expect;
    word_table properties;
    std::map<std::string, field_types, std::less<>> types;
    // Types that are a list of words.
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> word_types;
};

// Parsed at the first call. Throws failure when the page cannot be read.
const vocabulary& the_vocabulary();

// The entry of a word for a driver; null when the driver does not know it.
const word_entry* find_word(const word_table& table, std::string_view word,
                            std::string_view driver);

vocabulary parse_vocabulary(std::string_view page);

}  // namespace gym::telemetry::cases
