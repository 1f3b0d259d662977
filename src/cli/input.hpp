// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one file, uncompressed as they are read. Compression is recognised by the first
// bytes, whatever the file's name. Works on files that still grow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gymtel {

class input {
public:
    // Takes over the descriptor and closes it, but for standard input.
    explicit input(int fd);
    ~input();
    input(const input&) = delete;
    input& operator=(const input&) = delete;

    enum class state {
        some,     // bytes were read; maybe none yet that can be handed on
        at_end,   // there are no more, for now
        damaged,  // what follows cannot be read; `problem` says why
        refused,  // nothing of the file can be read; `problem` says why
    };
    struct outcome {
        state is = state::at_end;
        std::size_t bytes = 0;
    };
    // Fills `room`, which holds at least 8 bytes, as far as one read from the file goes. `final`
    // says that the file grows no more, so that its end is judged.
    outcome read(std::span<char> room, bool final);

    const std::string& problem() const noexcept { return problem_; }
    // Bytes taken from the file so far, as they lie there.
    std::uint64_t offset() const noexcept { return offset_; }
    int fd() const noexcept { return fd_; }
    // Whether it is known that the file is not compressed.
    bool is_plain() const noexcept { return kind_ == kind::plain; }
    // Whether bytes are at hand that need no read from the file.
    bool buffered() const noexcept;

    // A file that is not compressed was cut: the next read goes on at `size`. False when that
    // cannot be done.
    bool rewind_to(std::uint64_t size);

private:
    struct inflater;
    enum class kind { unknown, plain, gzip };
    static constexpr std::size_t longest_magic = 8;

    outcome sniff(std::span<char> room, bool final);
    outcome read_plain(std::span<char> room);
    outcome read_gzip(std::span<char> room, bool final);
    outcome fail(state is, std::string problem);
    std::ptrdiff_t read_raw(char* to, std::size_t size);

    int fd_;
    kind kind_ = kind::unknown;
    std::array<char, longest_magic> head_{};  // the first bytes, until they are known
    std::size_t head_size_ = 0;
    std::uint64_t offset_ = 0;
    std::unique_ptr<inflater> gzip_;
    std::string problem_;
};

}  // namespace gymtel
