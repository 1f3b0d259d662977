// SPDX-License-Identifier: Apache-2.0
//
// The rows of one file, which is fed in pieces as they are read. Memory is bounded whatever the
// file and its lines hold.
//
//     row_tools tools;
//     line_reader lines(tools);
//     while (const auto n = read(fd, lines.room().data(), lines.room().size()); n > 0)
//         lines.added(n, sink);
//     lines.finish(sink);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <rollout/row.hpp>
#include <rollout/row_batch.hpp>
#include <rollout/row_reader.hpp>
#include <rollout/row_stream.hpp>

namespace gym::telemetry::rollout {

class row_sink {
public:
    virtual ~row_sink() = default;
    // A row that was read, and its text, which is empty when the row was too long to be held. Both
    // live until this returns. Lines count from 1.
    virtual void accept(const row& r, std::string_view text, std::uint64_t line) = 0;
    virtual void refuse(reject reason, std::uint64_t line) = 0;
};

// Bytes that are read, indexed and walked together. Half of a second-level cache.
inline constexpr std::size_t block_bytes = std::size_t{512} << 10;

// Longest row that is held in memory. A longer one is read in passing.
inline constexpr std::size_t max_held_row_bytes = std::size_t{16} << 20;

// What any number of line readers can share, as long as one thread uses them.
struct row_tools {
    explicit row_tools(std::size_t block = block_bytes) : batch(block) {}
    row_batch batch;
    row_reader reader;
    row_stream last_line;
};

class line_reader {
public:
    explicit line_reader(row_tools& tools, std::size_t block = block_bytes,
                         std::size_t max_held = max_held_row_bytes);

    // Where the next bytes of the file belong. Never empty.
    std::span<char> room() noexcept { return {buffer_.get() + used_, capacity_ - used_}; }
    // So many bytes were put there. Hands out the rows that they complete.
    void added(std::size_t bytes, row_sink& sink);
    // At the file's end: what is left without a newline is judged.
    void finish(row_sink& sink);

    // Bytes since the last newline, which wait for theirs.
    std::uint64_t waiting_bytes() const noexcept { return streaming_ ? streamed_ : used_; }
    // They themselves, unless they are too many to be held.
    std::string_view waiting() const noexcept {
        return streaming_ ? std::string_view() : std::string_view(buffer_.get(), used_);
    }
    // Forgets them, as when they were cut off the file again.
    void drop_waiting() noexcept;

private:
    void read_lines(char* begin, char* end, row_sink& sink);
    const char* read_batch(const char* begin, const char* end, row_sink& sink);
    void read_one(const char* begin, const char* newline, bool is_utf8, row_sink& sink);
    void stream_line(bool terminated, row_sink& sink);
    void skip_byte_order_mark(bool at_end) noexcept;
    void keep_rest(const char* begin, const char* end);

    std::size_t max_held_;
    std::size_t capacity_;
    std::unique_ptr<char[]> buffer_;  // capacity_ bytes, and a newline and padding behind them
    std::size_t used_ = 0;
    std::uint64_t line_ = 0;  // number of the last line that ended
    bool at_start_ = true;    // nothing has been handed out: a byte order mark may stand there
    bool streaming_ = false;  // the line that waits is in stream_, not in the buffer
    std::uint64_t streamed_ = 0;

    row_tools& tools_;
    row_stream stream_;  // of the line that is too long
};

}  // namespace gym::telemetry::rollout
