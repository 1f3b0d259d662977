// SPDX-License-Identifier: Apache-2.0
#include "base/prometheus_name.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace gym::telemetry::detail {

namespace {

using word_pair = std::pair<std::string_view, std::string_view>;

constexpr std::array<word_pair, 26> unit_words = {{
    {"d", "days"},
    {"h", "hours"},
    {"min", "minutes"},
    {"s", "seconds"},
    {"ms", "milliseconds"},
    {"us", "microseconds"},
    {"ns", "nanoseconds"},
    {"By", "bytes"},
    {"KiBy", "kibibytes"},
    {"MiBy", "mebibytes"},
    {"GiBy", "gibibytes"},
    {"TiBy", "tibibytes"},
    {"KBy", "kilobytes"},
    {"MBy", "megabytes"},
    {"GBy", "gigabytes"},
    {"TBy", "terabytes"},
    {"m", "meters"},
    {"V", "volts"},
    {"A", "amperes"},
    {"J", "joules"},
    {"W", "watts"},
    {"g", "grams"},
    {"Cel", "celsius"},
    {"Hz", "hertz"},
    {"1", ""},
    {"%", "percent"},
}};

constexpr std::array<word_pair, 7> per_words = {{{"s", "second"},
                                                 {"m", "minute"},
                                                 {"h", "hour"},
                                                 {"d", "day"},
                                                 {"w", "week"},
                                                 {"mo", "month"},
                                                 {"y", "year"}}};

template <std::size_t N>
std::string_view translate(const std::array<word_pair, N>& words, std::string_view unit) {
    const auto at = std::ranges::find(words, unit, &word_pair::first);
    return at == words.end() ? unit : at->second;
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}
constexpr bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The pieces between the characters that are not kept; empty ones are dropped.
template <class Keep>
std::vector<std::string> tokens_of(std::string_view name, Keep keep) {
    std::vector<std::string> tokens;
    bool open = false;
    for (const char c : name) {
        if (keep(c)) {
            if (!open) tokens.emplace_back();
            tokens.back() += c;
        }
        open = keep(c);
    }
    return tokens;
}

std::string joined(const std::vector<std::string>& tokens) {
    std::string to;
    for (const std::string& token : tokens) {
        if (&token != tokens.data()) to += '_';
        to += token;
    }
    if (!to.empty() && is_digit(to.front())) to.insert(0, 1, '_');
    return to;
}

std::string_view trim_spaces(std::string_view text) {
    constexpr std::string_view spaces = " \t\n\v\f\r";
    const std::size_t begin = text.find_first_not_of(spaces);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

// As part of a name: other characters become _, runs of it one, none stands in front.
std::string cleaned(std::string_view unit) {
    std::string to;
    for (const char c : unit) {
        const bool keep = is_letter_or_digit(c) || c == ':';
        if (keep)
            to += c;
        else if (!to.empty() && to.back() != '_')
            to += '_';
    }
    return to;
}

void trim_underscore(std::string& text) {
    if (text.ends_with('_')) text.pop_back();
}

// Units in braces are annotations and add nothing.
bool is_annotation(std::string_view unit) {
    return unit.find_first_of("{}") != unit.npos;
}

void add_unit(std::vector<std::string>& tokens, std::string_view unit) {
    const std::size_t slash = unit.find('/');
    const std::string_view main = trim_spaces(unit.substr(0, slash));
    const std::string_view per =
        slash == unit.npos ? std::string_view() : trim_spaces(unit.substr(slash + 1));

    std::string main_word, per_word;
    if (!is_annotation(main)) main_word = cleaned(translate(unit_words, main));
    if (!per.empty() && !is_annotation(per))
        per_word = cleaned("per_" + std::string(translate(per_words, per)));
    if (per_word == "per_") per_word.clear();
    trim_underscore(per_word);

    const auto known = [&](const std::string& word) {
        return std::ranges::find(tokens, word) != tokens.end();
    };
    if (known(main_word)) main_word.clear();
    if (known(per_word)) per_word.clear();
    if (!per_word.empty()) trim_underscore(main_word);
    if (!main_word.empty()) tokens.push_back(std::move(main_word));
    if (!per_word.empty()) tokens.push_back(std::move(per_word));
}

void move_to_end(std::vector<std::string>& tokens, std::string_view word) {
    std::erase(tokens, word);
    tokens.emplace_back(word);
}

bool only_underscores(std::string_view text) {
    return text.find_first_not_of('_') == text.npos;
}

}  // namespace

std::string prometheus_name(std::string_view name, std::string_view unit, instrument_kind kind,
                            prometheus_suffixes suffixes) {
    std::string to;
    if (suffixes == prometheus_suffixes::none) {
        to = joined(
            tokens_of(name, [](char c) { return is_letter_or_digit(c) || c == ':' || c == '_'; }));
    } else {
        auto tokens = tokens_of(name, [](char c) { return is_letter_or_digit(c) || c == ':'; });
        add_unit(tokens, unit);
        if (kind == instrument_kind::counter || kind == instrument_kind::observable_counter)
            move_to_end(tokens, "total");
        // Counters of things say unit 1, too, so only a gauge is taken for a ratio.
        if (kind == instrument_kind::gauge && unit == "1") move_to_end(tokens, "ratio");
        to = joined(tokens);
    }
    // A name of nothing but underscores says nothing, unless that is what it was.
    if (to != name && only_underscores(to)) to.clear();
    return to;
}

std::string prometheus_label_name(std::string_view key) {
    std::string to;
    for (const char c : key) {
        if (is_letter_or_digit(c) || c == '_')
            to += c;
        else if (!is_continuation(c))  // one underscore a character, not a byte
            to += '_';
    }
    if (to.empty()) return to;
    if (is_digit(to.front()))
        to.insert(0, "key_");
    else if (to.starts_with('_') && !to.starts_with("__"))
        to.insert(0, "key");
    if (to != key && only_underscores(to)) to.clear();
    return to;
}

std::vector<std::pair<std::string, std::string>> prometheus_labels(
    std::span<const std::pair<std::string, std::string>> attributes) {
    std::vector<std::pair<std::string, std::string>> sorted(attributes.begin(), attributes.end());
    std::ranges::stable_sort(sorted, {}, &std::pair<std::string, std::string>::first);
    std::map<std::string, std::string> labels;
    for (const auto& [key, value] : sorted) {
        std::string name = prometheus_label_name(key);
        if (name.empty()) continue;
        const auto [at, fresh] = labels.try_emplace(std::move(name), value);
        if (!fresh) (at->second += ';') += value;
    }
    return {labels.begin(), labels.end()};
}

}  // namespace gym::telemetry::detail
