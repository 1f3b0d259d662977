// SPDX-License-Identifier: Apache-2.0
#include "health/rollout_lines.hpp"

#include "health/row_reader.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace gym::telemetry::health {

namespace {

// Large enough that reading costs little a row, small enough to stay in a cache of the second or
// third level while the rows are evaluated.
constexpr std::size_t block_bytes = std::size_t{1} << 18;

ssize_t read_some(int descriptor, char* to, std::size_t size) {
    ssize_t got = 0;
    do {
        got = ::read(descriptor, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

void reserve(line_block& block, std::size_t size, std::size_t keep) {
    auto larger = std::make_unique_for_overwrite<char[]>(size + row_padding_bytes);
    if (keep > 0) std::memcpy(larger.get(), block.bytes.get(), keep);
    block.bytes = std::move(larger);
    block.size = size;
}

}  // namespace

rollout_line_source::rollout_line_source(std::vector<std::string> files)
    : files_(std::move(files)) {}

rollout_line_source::~rollout_line_source() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool rollout_line_source::next(line_block& block) {
    block.lines.clear();
    while (error_.empty() && block.lines.empty()) {
        if (descriptor_ < 0 && !open_next_file()) return false;
        if (!fill(block)) return false;
    }
    return error_.empty();
}

bool rollout_line_source::open_next_file() {
    if (file_ >= files_.size()) return false;
    descriptor_ = ::open(files_[file_].c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) error_ = files_[file_] + ": " + std::strerror(errno);
    line_number_ = 0;
    return descriptor_ >= 0;
}

// Reads until the block is full and holds a line's end, or the file ends.
bool rollout_line_source::fill(line_block& block) {
    if (block.size < carried_.size() + block_bytes)
        reserve(block, carried_.size() + block_bytes, 0);
    std::memcpy(block.bytes.get(), carried_.data(), carried_.size());
    std::size_t used = carried_.size();
    std::size_t whole = 0;  // behind the last newline
    while (whole == 0) {
        if (used == block.size) reserve(block, block.size * 2, used);
        const ssize_t got = read_some(descriptor_, block.bytes.get() + used, block.size - used);
        if (got < 0) {
            error_ = files_[file_] + ": " + std::strerror(errno);
            return false;
        }
        if (got == 0) {
            ::close(std::exchange(descriptor_, -1));
            whole = used;
            break;
        }
        const void* end = ::memrchr(block.bytes.get() + used, '\n', static_cast<std::size_t>(got));
        used += static_cast<std::size_t>(got);
        if (end != nullptr)
            whole = static_cast<std::size_t>(static_cast<const char*>(end) - block.bytes.get()) + 1;
    }
    carried_.assign(block.bytes.get() + whole, used - whole);
    std::memset(block.bytes.get() + used, 0, row_padding_bytes);
    split(block, whole);
    if (descriptor_ < 0) ++file_;
    return true;
}

void rollout_line_source::split(line_block& block, std::size_t whole) {
    std::string_view rest(block.bytes.get(), whole);
    while (!rest.empty()) {
        const std::size_t newline = rest.find('\n');
        const std::string_view line = rest.substr(0, newline);
        rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
        ++line_number_;
        const std::string_view text = trim_row(line);
        if (text.empty()) continue;
        block.lines.push_back({text, ordinal_++, line_number_, static_cast<std::uint32_t>(file_)});
    }
}

}  // namespace gym::telemetry::health
