// SPDX-License-Identifier: Apache-2.0
//
// What a replay wants to know of one row of a rollout file, and how it is put together from the
// row's tokens. Two readers feed it: one for rows that lie in memory, one for rows too long for
// that. Rules: docs/replay.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::rollout {

// Nested arrays and objects that a row may have, itself included.
inline constexpr int max_depth = 1024;

// Why a line was refused, in the order in which the reasons are tried.
enum class reject : std::uint8_t { none, utf8, not_json, too_deep, not_an_object, truncated };

std::string_view to_text(reject reason) noexcept;

enum class reward_state : std::uint8_t { absent, null, not_a_number, number };

// The texts live as long as the row's text and the reader that read it, until its next row.
struct row {
    reward_state reward_is = reward_state::absent;
    double reward = 0;  // rounded to double; infinite when it is beyond that; only with `number`
    bool masked = false;
    bool drained = false;  // a dispatch budget drained it: it never ran
    // Empty when the row names none.
    std::string_view environment_server;
    std::string_view agent_name;
    std::string_view failure_class;
    std::string_view failure_kind;
    std::string_view failure_type;
    std::optional<std::int64_t> input_tokens;
    std::optional<std::int64_t> output_tokens;
    double created_at_s = 0;  // response.created_at; 0 when unknown

    // The environment server, else the agent, else `unknown`.
    std::string_view dispatch_name() const noexcept;
};

// The values of a row that are looked at. Everything else is only validated.
enum class field : std::uint8_t {
    none,
    reward,
    mask_sample,
    environment_server,
    failure_class,
    failure_kind,
    failure_type,
    drained,
    agent_ref,
    agent_name,
    response,
    created_at,
    usage,
    input_tokens,
    output_tokens,
};
inline constexpr std::size_t field_count = 15;

// The field that a key means inside of an object: of the row itself (`inside` is none), or of one
// of its objects that are looked into. The key is raw, as it stands between its quotes.
field find_field(field inside, std::string_view raw_key) noexcept;

// Whether an object that is this field's value is looked into.
constexpr bool is_looked_into(field f) noexcept {
    return f == field::agent_ref || f == field::response || f == field::usage;
}

// Collects values as they come; the last value of a field wins.
class row_builder {
public:
    void begin() noexcept { present_ = 0; }
    // Raw text, as it stands between its quotes. It must live until `finish`'s row is done with.
    void text(field f, std::string_view raw) noexcept { set(f, {kind::text, raw, 0}); }
    void number(field f, double number) noexcept { set(f, {kind::number, {}, number}); }
    // Begins with t, f or n.
    void literal(field f, char first) noexcept {
        set(f, {first == 't' ? kind::true_ : first == 'f' ? kind::false_ : kind::null, {}, 0});
    }
    // An array or object; what the row said before inside the same object is forgotten.
    void container(field f, bool empty) noexcept {
        set(f, {empty ? kind::empty_container : kind::container, {}, 0});
    }
    const row& finish();

private:
    enum class kind : std::uint8_t {
        absent,
        null,
        true_,
        false_,
        number,
        text,
        container,
        empty_container
    };
    struct value {
        kind is = kind::absent;
        std::string_view raw;
        double number = 0;
    };

    void set(field f, value v) noexcept;
    static constexpr unsigned bit(field f) noexcept { return 1U << static_cast<unsigned>(f); }
    bool has(field f) const noexcept { return (present_ & bit(f)) != 0; }
    value at(field f) const noexcept {
        return has(f) ? values_[static_cast<std::size_t>(f)] : value{};
    }
    std::string_view plain_text(field f);
    std::string_view failure_text(field f);
    bool truthy(field f) const noexcept;
    std::optional<std::int64_t> count(field f) const noexcept;

    unsigned present_ = 0;                            // a bit a field
    std::array<value, field_count> values_;           // good where the bit is set
    std::array<std::string, field_count> unescaped_;  // of fields whose text has escapes
    row row_;
};

}  // namespace gym::telemetry::rollout
