// SPDX-License-Identifier: Apache-2.0
#include "reading.hpp"
#include "row_mutator.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace gym::telemetry::rollout {
namespace {

using verdicts = std::vector<std::pair<std::uint64_t, reject>>;

verdicts read(std::string_view text, feeding how = {}) {
    verdicts seen;
    for (const seen_line& l : read_file_text(text, how)) seen.emplace_back(l.line, l.row.why);
    return seen;
}

TEST(LineReader, OnlyANewlineEndsALine) {
    EXPECT_EQ(read("{}\n{}\n"), (verdicts{{1, reject::none}, {2, reject::none}}));
    EXPECT_EQ(read("{}\r\n{}\r\n"), (verdicts{{1, reject::none}, {2, reject::none}}));
    EXPECT_EQ(read("{}\r{}\n"), (verdicts{{1, reject::not_json}}));
    EXPECT_EQ(read("{\n}\n"), (verdicts{{1, reject::not_json}, {2, reject::not_json}}));
    EXPECT_EQ(read("{\"a\":\"\n\"}\n{}\n"),
              (verdicts{{1, reject::not_json}, {2, reject::not_json}, {3, reject::none}}));
}

TEST(LineReader, BlankLinesCountButAreSkipped) {
    EXPECT_EQ(read(""), verdicts{});
    EXPECT_EQ(read("\n\n  \n"), verdicts{});
    EXPECT_EQ(read("{}\n\n \t\r\n\f\v\n{}\n  "), (verdicts{{1, reject::none}, {5, reject::none}}));
    EXPECT_EQ(read("{}\n\n\nx\n"), (verdicts{{1, reject::none}, {4, reject::not_json}}));
}

TEST(LineReader, ByteOrderMarkAtTheStartIsSkipped) {
    const std::string mark = "\xef\xbb\xbf";
    for (const std::size_t piece : {1U, 2U, 3U, 4U, 100U}) {
        const feeding how{.piece = piece};
        EXPECT_EQ(read(mark + "{}\n", how), (verdicts{{1, reject::none}}));
        EXPECT_EQ(read(mark, how), verdicts{});
        EXPECT_EQ(read(mark + "\n{}\n", how), (verdicts{{2, reject::none}}));
        EXPECT_EQ(read("{}\n" + mark + "{}\n", how),
                  (verdicts{{1, reject::none}, {2, reject::not_json}}));
        EXPECT_EQ(read(mark + mark + "{}\n", how), (verdicts{{1, reject::not_json}}));
        EXPECT_EQ(read("\xef\xbb", how), (verdicts{{1, reject::truncated}}));
        EXPECT_EQ(read("\xef\xbb\n{}\n", how), (verdicts{{1, reject::utf8}, {2, reject::none}}));
    }
}

TEST(LineReader, LastLineWithoutNewlineIsARowOrTruncated) {
    EXPECT_EQ(read("{}\n{}"), (verdicts{{1, reject::none}, {2, reject::none}}));
    EXPECT_EQ(read("{}\n{\"a\":"), (verdicts{{1, reject::none}, {2, reject::truncated}}));
    EXPECT_EQ(read("{}\n{\"a\":\"\xc3"), (verdicts{{1, reject::none}, {2, reject::truncated}}));
    EXPECT_EQ(read(std::string("{}\n") + std::string(4096, '\0')),
              (verdicts{{1, reject::none}, {2, reject::truncated}}));
    EXPECT_EQ(read("[1]"), (verdicts{{1, reject::not_an_object}}));
    EXPECT_EQ(read("12"), (verdicts{{1, reject::not_an_object}}));
    EXPECT_EQ(read(std::string(2000, '[')), (verdicts{{1, reject::truncated}}));
    EXPECT_EQ(read(std::string(2000, '[') + std::string(2000, ']')),
              (verdicts{{1, reject::too_deep}}));
    EXPECT_EQ(read("{}\n{\"a\":"
                   "\n"),
              (verdicts{{1, reject::none}, {2, reject::not_json}}));
}

TEST(LineReader, LongRowsAreReadInPassing) {
    const std::string row =
        R"({"agent_ref":{"name":"env"},"pad":")" + std::string(100'000, 'x') + R"(","reward":0.5})";
    const std::string bad = "{\"pad\":\"" + std::string(100'000, 'x') + "\xff\"}";
    const std::string text = "{}\n" + row + "\n" + bad + "\n" + row + "\n{\"reward\":1}\n" + row;
    for (const std::size_t piece : {7U, 1000U, 100'000U}) {
        for (const std::size_t max_held : {64U, 4096U, 65'536U, 1U << 20}) {
            const auto seen =
                read_file_text(text, {.block = 64, .max_held = max_held, .piece = piece});
            ASSERT_EQ(seen.size(), 6U);
            for (const std::size_t i : {1U, 3U, 5U}) {
                EXPECT_EQ(seen[i].line, i + 1);
                EXPECT_EQ(seen[i].row.reward, 0.5);
                EXPECT_EQ(seen[i].row.dispatch_name, "env");
            }
            EXPECT_EQ(seen[2].row.why, reject::utf8);
            EXPECT_EQ(seen[4].row.reward, 1);
        }
    }
}

TEST(LineReader, SameRowsHoweverTheFileIsFed) {
    row_mutator rows(7);
    std::string text;
    for (int i = 0; i < 3'000; ++i) text += rows.next() + "\n";
    const auto expected = read_file_text(text);
    EXPECT_GT(expected.size(), 2'900U);
    for (const feeding how : {feeding{.block = 32, .max_held = 32, .piece = 5},
                              feeding{.block = 64, .max_held = 128, .piece = 1000},
                              feeding{.block = 4096, .max_held = 4096, .piece = 4096},
                              feeding{.block = 1 << 20, .max_held = 1 << 20, .piece = 333}}) {
        EXPECT_EQ(read_file_text(text, how), expected) << how.block << ' ' << how.piece;
    }
}

TEST(LineReader, WaitingBytesCanBeDropped) {
    row_tools tools(64);
    line_reader lines(tools, 64, 64);
    collecting_sink sink;
    const auto feed = [&](std::string_view text) {
        while (!text.empty()) {
            const std::size_t n = std::min(lines.room().size(), text.size());
            std::copy_n(text.begin(), n, lines.room().begin());
            lines.added(n, sink);
            text.remove_prefix(n);
        }
    };
    feed("{\"reward\":1}\n{\"rew");
    EXPECT_EQ(lines.waiting_bytes(), 5U);
    lines.drop_waiting();
    feed("{\"reward\":2}\n{\"pad\":\"" + std::string(200, 'x'));
    EXPECT_EQ(lines.waiting_bytes(), 208U);
    lines.drop_waiting();
    feed("{\"reward\":3}\n");
    lines.finish(sink);
    ASSERT_EQ(sink.lines.size(), 3U);
    EXPECT_EQ(sink.lines[1].row.reward, 2);
    EXPECT_EQ(sink.lines[2].row.reward, 3);
    EXPECT_EQ(sink.lines[2].line, 3U);
}

TEST(LineReader, RealRollouts) {
    namespace fs = std::filesystem;
    std::size_t rows = 0;
    std::size_t refused = 0;
    for (const auto& entry :
         fs::directory_iterator(GYM_TELEMETRY_SOURCE_DIR "/examples/rollouts")) {
        if (entry.path().extension() != ".jsonl") continue;
        std::ifstream file(entry.path());
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        const auto seen = read_file_text(text);
        EXPECT_EQ(read_file_text(text, {.block = 64, .max_held = 64, .piece = 777}), seen);
        for (const seen_line& l : seen) (l.row.why == reject::none ? rows : refused) += 1;
    }
    EXPECT_EQ(rows, 60U);
    EXPECT_EQ(refused, 5U);
}

}  // namespace
}  // namespace gym::telemetry::rollout
