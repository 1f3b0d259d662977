// SPDX-License-Identifier: Apache-2.0
//
// Reads a row that arrives in pieces, a character at a time, in constant memory: for rows too long
// to be held, for the last line of a file, and as the slow twin that tests compare row_reader with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rollout/number.hpp>
#include <rollout/row.hpp>

namespace gym::telemetry::rollout {

class row_stream {
public:
    void begin();
    // The next piece of the line, without its newline.
    void add(std::string_view piece);
    // At the line's end. `terminated` says that its newline has come.
    reject finish(bool terminated);

    // The row of the last `finish` that returned reject::none, until the next `begin`.
    const row& last() const noexcept { return *last_; }
    // Whether the line so far is nothing but white space.
    bool blank() const noexcept { return blank_; }

private:
    enum class state : std::uint8_t {
        value,          // a value must come
        first_element,  // a value, or the end of the array that has just begun
        first_key,      // a key, or the end of the object that has just begun
        key,            // a key must come
        colon,
        after_value,  // comma or an end
        end,          // the row's value is complete
        string,
        escape,
        unicode_4,
        unicode_3,
        unicode_2,
        unicode_1,  // hex digits still to come
        literal,
        minus,
        zero,
        integer,
        point,
        fraction,
        exponent,
        exponent_sign,
        exponent_digits,
        wrong,
    };

    void check_utf8(unsigned char c) noexcept;
    void step(char c);
    void in_escape(char c);
    void between_tokens(char c);
    void begin_value(char c);
    void begin_string(bool is_key) noexcept;
    void begin_container(char c);
    void begin_literal(char c) noexcept;
    void in_string(char c);
    void keep(char c);
    void end_string();
    void end_container();
    void end_number();
    void value_done() noexcept;
    bool in_number() const noexcept;
    state number_after(char c) const noexcept;
    void push(bool is_array);
    bool innermost_is_array() const noexcept;

    state state_ = state::value;
    bool blank_ = true;
    bool utf8_wrong_ = false;
    bool too_deep_ = false;
    bool is_object_ = false;
    std::uint8_t utf8_left_ = 0;     // bytes that the character still lacks
    unsigned char utf8_low_ = 0x80;  // range of the next of them
    unsigned char utf8_high_ = 0xbf;

    std::uint64_t depth_ = 0;
    std::vector<std::uint64_t> arrays_;  // a bit a level: it is an array, else an object
    // What the values inside the outermost levels are fields of.
    std::array<field, 3> inside_{};
    std::array<bool, 3> looked_into_{};

    bool is_key_ = false;
    field field_ = field::none;   // of the value that comes or is being read
    field opened_ = field::none;  // of the container that has just begun
    const char* literal_left_ = "";
    std::string key_;
    number_digits number_;
    std::array<std::string, field_count> texts_;
    row_builder builder_;
    const row* last_ = nullptr;
};

}  // namespace gym::telemetry::rollout
