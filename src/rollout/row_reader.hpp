// SPDX-License-Identifier: Apache-2.0
//
// Reads a row that lies in memory, in one pass: every token is validated, the values of interest
// are picked up on the way. 2 GB/s and more on real rollouts, see bench/replay_bench.cpp.
//
// simdjson's two modes do not fit the rules of a replay (docs/decisions): on demand does not check
// what it skips, and the tree refuses numbers beyond double and lone surrogates. What is taken from
// it is the validation of UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

#include <rollout/row.hpp>

namespace gym::telemetry::rollout {

class row_reader {
public:
    // The line that begins at `begin` and ends with the next newline: valid UTF-8 and not blank,
    // with scan_padding readable bytes behind that newline. Allocates nothing but room for texts
    // with escapes.
    reject read(const char* begin);

    // The newline at which the last read ended that did not return not_json or too_deep.
    const char* newline() const noexcept { return newline_; }

    // The row of the last read that returned reject::none, until the next one.
    const row& last() const noexcept { return *last_; }

private:
    const char* value(const char* p, int depth, field f);
    const char* object(const char* p, int depth, field f);
    const char* skip_value(const char* p, int depth);

    row_builder builder_;
    const row* last_ = nullptr;
    const char* newline_ = nullptr;
    bool too_deep_ = false;
    bool was_array_[max_depth + 1];  // of the containers around the one that is being skipped
};

// A line that holds nothing but white space. Wider than JSON's, since no such line can be a row.
bool is_blank(std::string_view line) noexcept;

}  // namespace gym::telemetry::rollout
