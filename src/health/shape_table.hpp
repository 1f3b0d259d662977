// SPDX-License-Identifier: Apache-2.0
//
// The compiled shapes of schema_text.hpp: plain tables of nodes and fields, made once a process.
#pragma once

#include <cstdint>
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

struct shape_field {
    std::string_view name;
    std::uint64_t prefix = 0;  // the first eight bytes of the name, zeros behind a shorter one
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
    std::vector<std::string_view> words;
    std::vector<std::uint16_t> alternatives;
    std::vector<named_shape> names;

    // The node of a definition. The name must be one.
    std::uint16_t named(std::string_view name) const;
};

const shape_table& shapes();

// The first eight bytes of a text as one number, for comparing many names at once.
std::uint64_t name_prefix(std::string_view name);

}  // namespace gym::telemetry::health
