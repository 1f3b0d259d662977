// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace gym::telemetry::detail {
namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

// The number, when all of the text is one. from_chars ignores the locale, strtod does not.
template <class T>
std::optional<T> parse_whole(std::string_view text) noexcept {
    text = trim(text);
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

}  // namespace

environment environment::of_process() {
    environment process;
    process.variables_.reset();
    return process;
}

std::optional<std::string> environment::get(std::string_view name) const {
    std::string_view value;
    if (!variables_) {
        const char* const text = std::getenv(std::string(name).c_str());
        if (text != nullptr) value = text;
    } else if (const auto found = variables_->find(name); found != variables_->end()) {
        value = found->second;
    }
    value = trim(value);
    if (value.empty()) return std::nullopt;
    return std::string(value);
}

std::string_view trim(std::string_view text) noexcept {
    const std::size_t begin = text.find_first_not_of(white_space);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
}

std::string to_lower(std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    return lowered;
}

std::optional<bool> parse_boolean(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 4> yes{"1", "true", "yes", "on"};
    constexpr std::array<std::string_view, 4> no{"0", "false", "no", "off"};
    text = trim(text);
    const auto is_text = [text](std::string_view word) { return equal_ignoring_case(text, word); };
    if (std::any_of(yes.begin(), yes.end(), is_text)) return true;
    if (std::any_of(no.begin(), no.end(), is_text)) return false;
    return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
    return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) noexcept {
    const std::optional<double> value = parse_whole<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<std::string> parse_list(std::string_view text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string_view item = trim(text.substr(begin, comma - begin));
        if (!item.empty()) items.emplace_back(item);
        begin = comma + 1;
    }
    return items;
}

std::string join(const std::vector<std::string>& items, std::string_view between) {
    std::string joined;
    for (const std::string& item : items) {
        if (!joined.empty()) joined += between;
        joined += item;
    }
    return joined;
}

}  // namespace gym::telemetry::detail
