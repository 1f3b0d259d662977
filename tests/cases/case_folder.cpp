// SPDX-License-Identifier: Apache-2.0
//
// The files of a case.
#include "tool_run.hpp"
#include "values.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <zlib.h>

namespace gym::telemetry::cases {

namespace {

// Writes a file piece by piece, compressed or not: generated ones may be too large to be held.
class file_writer {
public:
    file_writer(const std::string& path, bool compressed)
        : file_(gzopen(path.c_str(), compressed ? "wb6" : "wbT")) {
        require(file_ != nullptr, "cannot write " + path);
    }
    ~file_writer() { gzclose(file_); }
    file_writer(const file_writer&) = delete;
    file_writer& operator=(const file_writer&) = delete;

    void add(std::string_view text) {
        if (!text.empty()) gzwrite(file_, text.data(), static_cast<unsigned>(text.size()));
    }
    void add(const std::string& text, std::int64_t times) {
        std::string block;
        const std::size_t per_block =
            text.empty() ? 1 : std::max<std::size_t>(1, 65536 / text.size());
        for (std::size_t i = 0; i < per_block; ++i) block += text;
        const auto step = static_cast<std::int64_t>(per_block);
        for (; times >= step; times -= step) add(block);
        for (; times > 0; --times) add(text);
    }

private:
    gzFile file_;
};

void generate(const json_value& from, file_writer& to) {
    const auto text = [&](std::string_view key) { return text_or_empty(from.find(key)); };
    to.add(text("prefix"));
    if (const json_value* repeat = from.find("repeat")) {
        require(repeat->items.size() == 2, "repeat is a text and a number");
        to.add(text_of(repeat->items[0]), int64_of(repeat->items[1]));
    }
    if (const json_value* depth = from.find("depth")) {
        to.add(text("open"), int64_of(*depth));
        to.add(text("close"), int64_of(*depth));
    }
    to.add(text("suffix"));
}

bool is_gzip(const json_value* compress) {
    return compress != nullptr;
}

void write_rollouts(const case_file& c, const std::string& path) {
    const json_value* text = c.given.find("file_text");
    const json_value* base64 = c.given.find("file_b64");
    const json_value* generator = c.given.find("generator");
    const bool follows = c.given.find("append_script") != nullptr;
    if ((text == nullptr || text->is_null()) && !base64 && !generator && !follows) return;
    {
        const bool compressed = is_gzip(c.given.find("compress")) ||
                                (generator && is_gzip(generator->find("compress")));
        file_writer to(path, compressed);
        if (text) to.add(text_or_empty(text));
        if (base64) to.add(base64_decoded(text_of(*base64)));
        if (generator) generate(*generator, to);
        to.add(c.given_text("then"));
    }
    if (const std::int64_t cut = c.given_integer("cut_bytes", 0))
        std::filesystem::resize_file(
            path, std::filesystem::file_size(path) - static_cast<std::uintmax_t>(cut));
}

}  // namespace

case_folder::case_folder(const case_file& c) {
    std::string pattern = std::filesystem::temp_directory_path().string() + "/gym-case-XXXXXX";
    require(mkdtemp(pattern.data()) != nullptr, "no temporary folder");
    folder_ = pattern;
    write_rollouts(c, path("rollouts.jsonl"));
    if (const json_value* sidecar = c.given.find("sidecar_text"))
        write("rollouts_failures.jsonl", text_of(*sidecar));
    if (const json_value* more = c.given.find("more_files"))
        for (const auto& [name, file] : more->members) {
            std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
            file_writer(path(name), is_gzip(file.find("compress")))
                .add(text_of(*file.find("text")));
        }
}

case_folder::~case_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void case_folder::write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
}

std::string case_folder::read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gym::telemetry::cases
