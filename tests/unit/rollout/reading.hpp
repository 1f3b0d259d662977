// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the row readers share: rows as comparable values, and every way to read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <rollout/line_reader.hpp>

namespace gym::telemetry::rollout {

// A row that owns its texts.
struct seen_row {
    reject why = reject::none;
    reward_state reward_is = reward_state::absent;
    double reward = 0;
    bool masked = false;
    bool drained = false;
    std::string dispatch_name{};
    std::string failure_class{};
    std::string failure_kind{};
    std::string failure_type{};
    std::optional<std::int64_t> input_tokens{};
    std::optional<std::int64_t> output_tokens{};
    double created_at_s = 0;

    bool operator==(const seen_row&) const = default;
};

inline seen_row seen(const row& r) {
    return {.reward_is = r.reward_is,
            .reward = r.reward,
            .masked = r.masked,
            .drained = r.drained,
            .dispatch_name = std::string(r.dispatch_name()),
            .failure_class = std::string(r.failure_class),
            .failure_kind = std::string(r.failure_kind),
            .failure_type = std::string(r.failure_type),
            .input_tokens = r.input_tokens,
            .output_tokens = r.output_tokens,
            .created_at_s = r.created_at_s};
}

inline void PrintTo(const seen_row& r, std::ostream* out) {
    if (r.why != reject::none) {
        *out << to_text(r.why);
        return;
    }
    *out << "reward " << int(r.reward_is) << ' ' << r.reward << " masked " << r.masked
         << " drained " << r.drained << " of " << r.dispatch_name << " failure " << r.failure_class
         << '/' << r.failure_kind << '/' << r.failure_type << " tokens "
         << r.input_tokens.value_or(-1) << ' ' << r.output_tokens.value_or(-1) << " at "
         << r.created_at_s;
}

struct seen_line {
    std::uint64_t line = 0;
    seen_row row;
    bool operator==(const seen_line&) const = default;
};

inline void PrintTo(const seen_line& l, std::ostream* out) {
    *out << l.line << ": ";
    PrintTo(l.row, out);
}

class collecting_sink : public row_sink {
public:
    void accept(const row& r, std::string_view, std::uint64_t line) override {
        lines.push_back({line, seen(r)});
    }
    void refuse(reject why, std::uint64_t line) override { lines.push_back({line, {.why = why}}); }
    std::vector<seen_line> lines;
};

struct feeding {
    std::size_t block = block_bytes;
    std::size_t max_held = max_held_row_bytes;
    std::size_t piece = std::size_t{1} << 20;
};

inline std::vector<seen_line> read_file_text(std::string_view text, feeding how = {}) {
    row_tools tools(how.block);
    line_reader lines(tools, how.block, how.max_held);
    collecting_sink sink;
    while (!text.empty()) {
        const auto room = lines.room();
        const std::size_t n = std::min({room.size(), text.size(), how.piece});
        std::copy_n(text.begin(), n, room.begin());
        lines.added(n, sink);
        text.remove_prefix(n);
    }
    lines.finish(sink);
    return sink.lines;
}

// One line with its newline, read by the twin that looks at each character.
inline seen_row read_by_character(std::string_view line, bool terminated = true) {
    row_stream stream;
    stream.begin();
    stream.add(line);
    const reject why = stream.finish(terminated);
    return why == reject::none ? seen(stream.last()) : seen_row{.why = why};
}

// One line with its newline, read by row_reader.
inline seen_row read_in_memory(std::string_view line) {
    // The first line is odd, so that the batch leaves both to row_reader.
    const auto lines = read_file_text("x\n" + std::string(line) + "\n");
    return lines.size() == 2 ? lines[1].row : seen_row{.dispatch_name = "not two lines"};
}

// The same in a batch of good rows.
inline seen_row read_in_batch(std::string_view line) {
    const auto lines = read_file_text("{}\n" + std::string(line) + "\n{}\n");
    return lines.size() == 3 ? lines[1].row : seen_row{.dispatch_name = "not three lines"};
}

}  // namespace gym::telemetry::rollout
