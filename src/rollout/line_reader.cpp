// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <rollout/json_scan.hpp>
#include <rollout/line_reader.hpp>
#include <simdjson.h>

namespace gym::telemetry::rollout {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::unique_ptr<char[]> make_buffer(std::size_t capacity) {
    return std::make_unique_for_overwrite<char[]>(capacity + 1 + scan_padding);
}

const char* find_newline(const char* begin, const char* end) noexcept {
    return static_cast<const char*>(
        std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

}  // namespace

line_reader::line_reader(row_tools& tools, std::size_t block, std::size_t max_held)
    : max_held_(std::max(block, max_held)),
      capacity_(block),
      buffer_(make_buffer(block)),
      tools_(tools) {}

void line_reader::added(std::size_t bytes, row_sink& sink) {
    char* begin = buffer_.get();
    // What waited before holds no newline.
    const char* fresh = begin + used_;
    used_ += bytes;
    if (at_start_) {
        skip_byte_order_mark(false);
        if (at_start_) return;
        fresh = begin;
    }
    char* const end = begin + used_;

    if (streaming_) {
        const char* const newline = find_newline(begin, end);
        const char* const stop = newline != nullptr ? newline : end;
        stream_.add({begin, stop});
        streamed_ += static_cast<std::uint64_t>(stop - begin);
        if (newline == nullptr) {
            used_ = 0;
            return;
        }
        ++line_;
        stream_line(true, sink);
        begin += newline + 1 - begin;
    }
    const char* const unseen = std::clamp<const char*>(fresh, begin, end);
    const void* const last = ::memrchr(unseen, '\n', static_cast<std::size_t>(end - unseen));
    if (last == nullptr) return keep_rest(begin, end);
    char* const rest = begin + (static_cast<const char*>(last) + 1 - begin);
    read_lines(begin, rest, sink);
    keep_rest(rest, end);
}

// Moves what waits for its newline to the begin of the buffer, which grows when that fills it.
void line_reader::keep_rest(const char* begin, const char* end) {
    used_ = static_cast<std::size_t>(end - begin);
    if (used_ < capacity_) {
        std::memmove(buffer_.get(), begin, used_);
    } else if (capacity_ < max_held_) {
        const std::size_t capacity = std::min(capacity_ * 2, max_held_);
        auto larger = make_buffer(capacity);
        std::memcpy(larger.get(), begin, used_);
        buffer_ = std::move(larger);
        capacity_ = capacity;
    } else {
        stream_.begin();
        stream_.add({begin, used_});
        streamed_ = used_;
        streaming_ = true;
        used_ = 0;
    }
}

// A file may begin with a byte order mark. Waits for all of it, and clears at_start_ when it is
// known whether there is one.
void line_reader::skip_byte_order_mark(bool at_end) noexcept {
    const std::string_view start(buffer_.get(), std::min(used_, byte_order_mark.size()));
    if (!at_end && start.size() < byte_order_mark.size() && byte_order_mark.starts_with(start))
        return;
    at_start_ = false;
    if (start != byte_order_mark) return;
    used_ -= start.size();
    std::memmove(buffer_.get(), buffer_.get() + start.size(), used_);
}

void line_reader::read_lines(char* begin, char* end, row_sink& sink) {
    const char* p = begin;
    if (tools_.batch.index(p, static_cast<std::size_t>(end - p))) p = read_batch(p, end, sink);
    if (p == end) return;
    const bool is_utf8 = simdjson::validate_utf8(p, static_cast<std::size_t>(end - p));
    while (p < end) {
        const char* const newline = find_newline(p, end);
        ++line_;
        read_one(p, newline, is_utf8, sink);
        p = newline + 1;
    }
}

// Returns where it stopped: at the end, or at an odd line.
const char* line_reader::read_batch(const char* begin, const char* end, row_sink& sink) {
    while (begin < end) {
        const char* const newline = find_newline(begin, end);
        const row_batch::line what = tools_.batch.next(newline);
        if (what == row_batch::line::odd) return begin;
        ++line_;
        if (what == row_batch::line::row) sink.accept(tools_.batch.last(), {begin, newline}, line_);
        begin = newline + 1;
    }
    return end;
}

void line_reader::read_one(const char* begin, const char* newline, bool is_utf8, row_sink& sink) {
    const std::string_view text(begin, newline);
    if (is_blank(text)) return;
    if (!is_utf8 && !simdjson::validate_utf8(text)) return sink.refuse(reject::utf8, line_);
    const reject reason = tools_.reader.read(begin);
    if (reason == reject::none)
        sink.accept(tools_.reader.last(), text, line_);
    else
        sink.refuse(reason, line_);
}

void line_reader::stream_line(bool terminated, row_sink& sink) {
    streaming_ = false;
    if (stream_.blank()) return;
    const reject reason = stream_.finish(terminated);
    if (reason == reject::none)
        sink.accept(stream_.last(), {}, line_);
    else
        sink.refuse(reason, line_);
}

void line_reader::finish(row_sink& sink) {
    if (at_start_) skip_byte_order_mark(true);
    if (waiting_bytes() == 0) return;
    ++line_;
    if (streaming_) {
        stream_line(false, sink);
        used_ = 0;
        return;
    }
    // Nearly always a good row or a torn one, and only the stream knows whether a row that is too
    // deep would be JSON to its end. Its text is held all the same.
    const std::string_view text(buffer_.get(), used_);
    used_ = 0;
    if (is_blank(text)) return;
    row_stream& stream = tools_.last_line;
    stream.begin();
    stream.add(text);
    const reject reason = stream.finish(false);
    if (reason == reject::none)
        sink.accept(stream.last(), text, line_);
    else
        sink.refuse(reason, line_);
}

void line_reader::drop_waiting() noexcept {
    used_ = 0;
    streaming_ = false;
}

}  // namespace gym::telemetry::rollout
