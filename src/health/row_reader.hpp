// SPDX-License-Identifier: Apache-2.0
//
// Strict reading of one row (RFC 8259, as NeMo Gym 0.7.0 reads): refused are NaN, comments, a byte
// order mark, text after the value, invalid UTF-8, lone surrogate escapes, a number beyond double
// and more than 1,024 nested arrays and objects. Of two equal keys the last one wins. An integer
// literal beyond 64 bits is a double.
#pragma once

#include "health/json_value.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gym::telemetry::health {

enum class read_outcome : unsigned char {
    object,
    not_json,       // the original's JSONDecodeError
    not_an_object,  // its ValueError
};

enum class read_rules : unsigned char {
    strict,
    // What `gymtel replay` reads as well: a lone surrogate counts as U+FFFD, a number beyond double
    // as the largest one of its sign.
    wide,
};

// So many bytes behind a row must be readable.
inline constexpr std::size_t row_padding_bytes = 64;

// Not thread-safe: one a thread. Keeps buffers of about 14 times the longest row it read.
class row_reader {
public:
    row_reader();
    ~row_reader();
    row_reader(row_reader&&) noexcept;
    row_reader& operator=(row_reader&&) noexcept;

    // `row` must be trimmed and followed by row_padding_bytes readable bytes.
    read_outcome read_padded(std::string_view row, read_rules rules = read_rules::strict);
    // The same for any text; copies it.
    read_outcome read(std::string_view row, read_rules rules = read_rules::strict);

    // The row, when the outcome was object.
    json_value root() const { return {&document_, 1}; }

private:
    struct parser;

    std::unique_ptr<parser> parser_;
    json_document document_;
    std::string copy_;
    std::string rewritten_;
};

// The five bytes that Python's bytes.strip() takes off both ends of a line.
std::string_view trim_row(std::string_view line);

}  // namespace gym::telemetry::health
