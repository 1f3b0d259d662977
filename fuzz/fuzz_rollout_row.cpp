// SPDX-License-Identifier: Apache-2.0
//
// A file of rows, read in one piece and in small ones: each line must be judged as the reader that
// looks at each character judges it. The corpus is replayed by tests/unit/rollout in every build.
#include "../tests/unit/rollout/reading.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace gym::telemetry::rollout;

std::vector<seen_line> line_by_line(std::string_view text) {
    std::vector<seen_line> seen;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    for (std::uint64_t line = 1; !text.empty(); ++line) {
        const std::size_t newline = text.find('\n');
        const bool terminated = newline != std::string_view::npos;
        const std::string_view content = text.substr(0, newline);
        text.remove_prefix(terminated ? newline + 1 : text.size());
        if (!is_blank(content)) seen.push_back({line, read_by_character(content, terminated)});
    }
    return seen;
}

void must_agree(const std::vector<seen_line>& a, const std::vector<seen_line>& b, const char* how) {
    if (a == b) return;
    std::fprintf(stderr, "the readers differ: %s\n", how);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto expected = line_by_line(text);
    must_agree(read_file_text(text, {.block = 1 << 16}), expected, "in one piece");
    must_agree(read_file_text(text, {.block = 16, .max_held = 16, .piece = 3}), expected,
               "in passing");
    must_agree(read_file_text(text, {.block = 64, .max_held = 256, .piece = 41}), expected,
               "in pieces");
    return 0;
}
