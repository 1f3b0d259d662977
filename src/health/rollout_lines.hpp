// SPDX-License-Identifier: Apache-2.0
//
// The lines of rollout files, in blocks of a few megabytes: memory does not grow with the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

struct rollout_line {
    std::string_view text;      // trimmed, never empty, followed by row_padding_bytes
    std::uint64_t ordinal = 0;  // counts non-blank lines over all files
    std::uint64_t number = 0;   // counts all lines of its file from 1
    std::uint32_t file = 0;     // which of the files, from 0
};

// Whole lines of one file and the memory they lie in.
struct line_block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    std::vector<rollout_line> lines;
};

// Reads the files in the order given. Not thread-safe.
class rollout_line_source {
public:
    explicit rollout_line_source(std::vector<std::string> files);
    ~rollout_line_source();
    rollout_line_source(const rollout_line_source&) = delete;
    rollout_line_source& operator=(const rollout_line_source&) = delete;

    // The next block that has lines. False at the end or after an error. A block's memory is used
    // again, so one that was filled before saves its allocation.
    bool next(line_block& block);
    // Empty, or which file could not be read and why.
    const std::string& error() const { return error_; }

private:
    bool open_next_file();
    bool fill(line_block& block);
    void split(line_block& block, std::size_t whole);

    std::vector<std::string> files_;
    std::string error_;
    std::string carried_;  // the start of a line whose end is in the next block
    std::uint64_t ordinal_ = 0;
    std::uint64_t line_number_ = 0;
    std::size_t file_ = 0;
    int descriptor_ = -1;
};

}  // namespace gym::telemetry::health
