// SPDX-License-Identifier: Apache-2.0
#include "handle/emitted_line.hpp"

#include "base/environment.hpp"
#include "instruments/catalogue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gym::telemetry::detail {

namespace {

struct emitted_kind {
    std::string_view name;
    engine::instrument_id instrument;
    bool has_value;
    bool may_be_negative;
};

using instruments::id_of;

constexpr std::array<emitted_kind, 4> kinds{{
    {"sandbox-startup", id_of("gym.sandbox.startup_duration_ms"), true, false},
    {"sandbox-exec", id_of("gym.sandbox.exec_duration_ms"), true, false},
    {"sandbox-active", id_of("gym.sandbox.active"), true, true},
    {"create-retry", id_of("gym.sandbox.create_retry_total"), false, false},
}};

const emitted_kind* find_kind(std::string_view name) noexcept {
    const auto found = std::ranges::find(kinds, name, &emitted_kind::name);
    return found == kinds.end() ? nullptr : &*found;
}

bool is_duration(const emitted_kind& kind) noexcept {
    return instruments::catalogue[kind.instrument].how == instruments::aggregation::histogram;
}

// A sum has whole steps, of a size that a gym can mean.
constexpr double step_max = 1e9;

bool fits(const emitted_kind& kind, double value) noexcept {
    if (value < 0 && !kind.may_be_negative) return false;
    return is_duration(kind) || (value == std::floor(value) && std::abs(value) <= step_max);
}

// The first word of the text, which it loses.
std::string_view take_word(std::string_view& text) noexcept {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

}  // namespace

result<emitted_record> make_emitted(std::string_view kind, std::string_view value,
                                    std::string_view provider) {
    const emitted_kind* const known = find_kind(kind);
    if (known == nullptr) return {errc::invalid, "unknown record '" + std::string(kind) + "'"};
    if (provider.empty() || provider.find('\n') != provider.npos)
        return {errc::invalid, "a record needs a --provider of one line"};
    emitted_record record{std::string(kind), 1, std::string(provider)};
    if (known->has_value == value.empty())
        return {errc::invalid, record.kind + (value.empty() ? " needs a value" : " has no value")};
    if (!known->has_value) return record;
    const bool has_plus =
        known->may_be_negative && value.starts_with('+') && !value.starts_with("+-");
    const auto number = parse_number(value.substr(has_plus ? 1 : 0));
    if (!number || !fits(*known, *number))
        return {errc::invalid,
                "'" + std::string(value) + "' is no value of " + record.kind +
                    (known->may_be_negative ? ": a whole number such as +1" : ": milliseconds")};
    record.value = *number;
    return record;
}

std::string line_of(const emitted_record& record) {
    std::array<char, 32> number{};
    char* const end = std::to_chars(number.data(), number.data() + number.size(), record.value).ptr;
    return record.kind + ' ' + std::string(number.data(), end) + ' ' + record.provider + '\n';
}

std::optional<emitted_record> parse_emitted(std::string_view line) {
    const std::string_view name = take_word(line);
    const auto value = parse_number(take_word(line));
    const emitted_kind* const kind = find_kind(name);
    if (kind == nullptr || !value || !fits(*kind, *value) || line.empty()) return std::nullopt;
    return emitted_record{std::string(name), *value, std::string(line)};
}

void record_into(engine::generation& to, engine::thread_block& block,
                 const emitted_record& what) noexcept {
    const emitted_kind* const kind = find_kind(what.kind);
    if (kind == nullptr) return;
    const std::string_view provider = what.provider;
    engine::measurement measured{.real = what.value};
    if (!is_duration(*kind)) measured.integer = static_cast<std::int64_t>(what.value);
    to.record_slow(block, kind->instrument, &provider, measured);
}

}  // namespace gym::telemetry::detail
