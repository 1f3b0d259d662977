// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <cli/input.hpp>
#include <unistd.h>
#include <zlib.h>

namespace gymtel {
namespace {

struct magic {
    std::string_view bytes;
    std::string_view name;
};

// Compressed formats that are told apart only to say what is wrong.
constexpr magic foreign_formats[] = {
    {"\x28\xb5\x2f\xfd", "zstd"},       {"\xfd\x37zXZ", "xz"},    {"BZh", "bzip2"},
    {"\x04\x22\x4d\x18", "lz4"},        {"PK\x03\x04", "zip"},    {"7z\xbc\xaf", "7-Zip"},
    {"\xff\x06\x00\x00sNaP", "snappy"}, {"\x1f\x9d", "compress"},
};
constexpr std::string_view gzip_magic = "\x1f\x8b";

std::string_view format_of(std::string_view head) {
    for (const magic& format : foreign_formats)
        if (head.starts_with(format.bytes)) return format.name;
    return {};
}

bool may_become_gzip(std::string_view head) {
    return head.substr(0, gzip_magic.size()) == gzip_magic.substr(0, head.size());
}

}  // namespace

struct input::inflater {
    static constexpr std::size_t raw_bytes = std::size_t{64} << 10;

    inflater() {
        stream.zalloc = nullptr;
        stream.zfree = nullptr;
        stream.opaque = nullptr;
        stream.next_in = nullptr;
        stream.avail_in = 0;
        constexpr int gzip_only = 16 + MAX_WBITS;
        ready = ::inflateInit2(&stream, gzip_only) == Z_OK;
    }
    ~inflater() {
        if (ready) ::inflateEnd(&stream);
    }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    std::span<const unsigned char> left() const { return {stream.next_in, stream.avail_in}; }

    z_stream stream{};
    bool ready = false;
    bool between_members = false;
    std::array<unsigned char, raw_bytes> raw{};
};

input::input(int fd) : fd_(fd) {}

input::~input() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
}

input::outcome input::fail(state is, std::string problem) {
    problem_ = std::move(problem);
    return {is, 0};
}

// Number of bytes, 0 at the end for now, -1 with errno.
std::ptrdiff_t input::read_raw(char* to, std::size_t size) {
    ssize_t n = 0;
    do n = ::read(fd_, to, size);
    while (n < 0 && errno == EINTR);
    if (n > 0) offset_ += static_cast<std::uint64_t>(n);
    return n;
}

input::outcome input::read(std::span<char> room, bool final) {
    if (kind_ == kind::unknown) return sniff(room, final);
    return kind_ == kind::plain ? read_plain(room) : read_gzip(room, final);
}

// Reads the first bytes, and hands them on when it is clear what they are.
input::outcome input::sniff(std::span<char> room, bool final) {
    const auto n = read_raw(head_.data() + head_size_, longest_magic - head_size_);
    if (n < 0) return fail(state::refused, std::strerror(errno));
    head_size_ += static_cast<std::size_t>(n);
    if (n > 0 && head_size_ < longest_magic) return {state::some, 0};
    const std::string_view head(head_.data(), head_size_);
    if (head.size() < longest_magic && !final) return {};
    if (const std::string_view format = format_of(head); !format.empty())
        return fail(state::refused, "compressed with " + std::string(format) +
                                        ", which is not read; unpack it, or compress it with gzip");
    if (head.size() >= gzip_magic.size() && may_become_gzip(head)) {
        kind_ = kind::gzip;
        gzip_ = std::make_unique<inflater>();
        if (!gzip_->ready) return fail(state::refused, "no memory to unpack it");
        std::copy(head.begin(), head.end(), gzip_->raw.begin());
        gzip_->stream.next_in = gzip_->raw.data();
        gzip_->stream.avail_in = static_cast<unsigned>(head.size());
        return read_gzip(room, final);
    }
    kind_ = kind::plain;
    if (head.empty()) return {};
    // A buffer of rows is never shorter than a magic number.
    std::copy(head.begin(), head.end(), room.begin());
    return {state::some, head.size()};
}

input::outcome input::read_plain(std::span<char> room) {
    const auto n = read_raw(room.data(), room.size());
    if (n < 0) return fail(state::damaged, std::string("damaged: ") + std::strerror(errno));
    if (n == 0) return {};
    return {state::some, static_cast<std::size_t>(n)};
}

input::outcome input::read_gzip(std::span<char> room, bool final) {
    z_stream& z = gzip_->stream;
    bool has_read = false;
    for (;;) {
        if (z.avail_in == 0) {
            if (has_read) return {state::some, 0};
            has_read = true;
            const auto n =
                read_raw(reinterpret_cast<char*>(gzip_->raw.data()), inflater::raw_bytes);
            if (n < 0) return fail(state::damaged, std::string("damaged: ") + std::strerror(errno));
            if (n == 0 && final && !gzip_->between_members)
                return fail(state::damaged, "truncated: the compressed data ends too early");
            if (n == 0) return {};
            z.next_in = gzip_->raw.data();
            z.avail_in = static_cast<unsigned>(n);
        }
        if (gzip_->between_members) {
            // Further members follow one another; zeros may pad the end.
            const auto left = gzip_->left();
            const auto next = std::find_if(left.begin(), left.end(), [](auto c) { return c != 0; });
            z.next_in += next - left.begin();
            z.avail_in -= static_cast<unsigned>(next - left.begin());
            if (z.avail_in == 0) continue;
            if (*z.next_in != 0x1f)
                return fail(state::damaged, "damaged: something follows the compressed data");
            ::inflateReset(&z);
            gzip_->between_members = false;
        }
        z.next_out = reinterpret_cast<unsigned char*>(room.data());
        z.avail_out = static_cast<unsigned>(std::min<std::size_t>(room.size(), 1U << 30));
        const unsigned before = z.avail_out;
        const int status = ::inflate(&z, Z_NO_FLUSH);
        gzip_->between_members = status == Z_STREAM_END;
        const std::size_t made = before - z.avail_out;
        if (made > 0) return {state::some, made};  // an error comes up again at the next call
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return fail(state::damaged, std::string("damaged: ") +
                                            (z.msg != nullptr ? z.msg : "no valid gzip data"));
    }
}

bool input::buffered() const noexcept {
    return gzip_ != nullptr && gzip_->stream.avail_in > 0;
}

bool input::rewind_to(std::uint64_t size) {
    if (kind_ == kind::gzip) return false;
    if (kind_ == kind::unknown) size = 0;
    if (::lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0) return false;
    offset_ = size;
    if (size == 0) {
        kind_ = kind::unknown;
        head_size_ = 0;
    }
    return true;
}

}  // namespace gymtel
