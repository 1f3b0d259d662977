// SPDX-License-Identifier: Apache-2.0
//
// The compiled shapes of schema_text.hpp: plain tables of nodes and fields, made once a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

enum class shape_kind : std::uint8_t {
    any,
    raw,
    text,
    integer,
    number,
    boolean,
    list,
    words,
    array,
    map,
    object,
    one_of,
};

// What the reader of trajectories does with an object of a shape, beyond its fields.
enum class shape_hook : std::uint8_t {
    none,
    row,
    trajectory,
    invocation,
    turn,
    turn_ref,
    invocation_ref,
    call,
    metadata,
    tokens,
    toolcall,
    gap,
    item,
    video,
};

inline constexpr std::int8_t no_bound = -1;
inline constexpr std::uint32_t max_fields = 24;

// A name of at most 24 bytes as three numbers that overlap where it is shorter, so that a key is
// compared with many names without a call: that is most of what checking a row costs.
struct short_name {
    std::string_view text;
    std::uint64_t front = 0;   // bytes 0-7, zeros behind a shorter name
    std::uint64_t middle = 0;  // bytes 8-15 of a name longer than 16
    std::uint64_t back = 0;    // the last eight bytes of a name longer than 8
};
inline constexpr std::size_t short_name_bytes = 24;

struct shape_field {
    short_name name;
    std::uint16_t node = 0;
    bool required = false;
};

struct shape_node {
    shape_kind kind = shape_kind::any;
    shape_hook hook = shape_hook::none;
    bool nullable = false;
    bool closed = false;           // other fields are invalid
    bool drops = false;            // other fields are dropped unseen
    std::int8_t bound = no_bound;  // least integer or number
    // Of array and map the node of their elements; of object, words and one_of where their entries
    // begin in fields, words and alternatives.
    std::uint16_t first = 0;
    std::uint16_t count = 0;
    std::uint32_t required = 0;  // bit mask over the fields
};

struct named_shape {
    std::string_view name;
    std::uint16_t node = 0;
};

struct shape_table {
    std::vector<shape_node> nodes;
    std::vector<shape_field> fields;
    std::vector<short_name> words;
    std::vector<std::uint16_t> alternatives;
    std::vector<named_shape> names;

    // The node of a definition. The name must be one.
    std::uint16_t named(std::string_view name) const;
};

const shape_table& shapes();

short_name make_short_name(std::string_view text);

// A key of the row at hand, ready to be compared. Eight bytes at its start must be readable, as
// they are in simdjson's string buffer.
class key_text {
public:
    explicit key_text(std::string_view text) : text_(text), front_(load(0)) {
        if (text.size() < 8) front_ &= (std::uint64_t{1} << (text.size() * 8)) - 1;
    }
    bool is(const short_name& name) const {
        return front_ == name.front && text_.size() == name.text.size() &&
               (text_.size() <= 8 || same_rest(name));
    }

private:
    std::uint64_t load(std::size_t at) const {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text_.data() + at, sizeof bytes);
        return bytes;
    }
    bool same_rest(const short_name& name) const {
        if (load(text_.size() - 8) != name.back) return false;
        if (text_.size() <= 16 || load(8) == name.middle)
            return text_.size() <= short_name_bytes || text_ == name.text;
        return false;
    }

    std::string_view text_;
    std::uint64_t front_;
};

}  // namespace gym::telemetry::health
