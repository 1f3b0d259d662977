// SPDX-License-Identifier: Apache-2.0
//
// The readers against Python's json, which is what upstream reads its rows with.
#include "reading.hpp"
#include "row_mutator.hpp"

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace gym::telemetry::rollout {
namespace {

std::string hex(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string bits(double number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(number)));
    return text;
}

std::string count(const std::optional<std::int64_t>& n) {
    return n ? std::to_string(*n) : "none";
}

std::string describe(const seen_row& r) {
    if (r.why != reject::none) return std::string(to_text(r.why));
    static constexpr const char* states[] = {"absent", "null", "other", "number "};
    std::string out = states[static_cast<int>(r.reward_is)];
    if (r.reward_is == reward_state::number) out += bits(r.reward);
    out += r.masked ? "|masked" : "|-";
    out += r.drained ? "|drained|" : "|-|";
    for (const std::string& text :
         {r.dispatch_name, r.failure_class, r.failure_kind, r.failure_type})
        out += hex(text) + "|";
    return out + count(r.input_tokens) + "|" + count(r.output_tokens) + "|" + bits(r.created_at_s);
}

std::vector<std::string> ask_python(const std::string& text) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("gymtel_oracle_" + std::to_string(::getpid()) + ".jsonl");
    std::ofstream(path, std::ios::binary) << text;
    const std::string command = "python3 '" GYM_TELEMETRY_SOURCE_DIR
                                "/tests/unit/rollout/python_oracle.py' '" +
                                path.string() + "'";
    std::vector<std::string> answers;
    if (std::FILE* pipe = ::popen(command.c_str(), "r"); pipe != nullptr) {
        char* line = nullptr;
        std::size_t size = 0;
        for (ssize_t n = 0; (n = ::getline(&line, &size, pipe)) > 0;)
            answers.emplace_back(line, static_cast<std::size_t>(n) - 1);
        std::free(line);
        ::pclose(pipe);
    }
    std::filesystem::remove(path);
    return answers;
}

TEST(PythonOracle, AgreesOnMutatedRows) {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
    row_mutator mutator(1154);
    std::vector<std::string> rows;
    std::string text;
    while (rows.size() < 30'000) {
        std::string row = mutator.next();
        if (is_blank(row) || row.starts_with("\xef\xbb\xbf")) continue;
        text += row + "\n";
        rows.push_back(std::move(row));
    }
    const auto seen = read_file_text(text);
    const auto answers = ask_python(text);
    ASSERT_EQ(seen.size(), rows.size());
    ASSERT_EQ(answers.size(), rows.size());
    int differing = 0;
    for (std::size_t i = 0; i < rows.size() && differing < 10; ++i)
        if (describe(seen[i].row) != answers[i]) {
            ++differing;
            ADD_FAILURE() << rows[i] << "\n ours   " << describe(seen[i].row) << "\n Python "
                          << answers[i];
        }
}

}  // namespace
}  // namespace gym::telemetry::rollout
