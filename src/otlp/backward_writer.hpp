// SPDX-License-Identifier: Apache-2.0
//
// Protobuf written from its end to its beginning: when a message's length is due its content stands
// there already, so one pass writes what others need a sizing pass or a copy for, and every length
// has its shortest form. Fields are therefore written last to first.
//
//     const std::size_t end = to.size();
//     to.text(2, "value");
//     to.text(1, "key");
//     to.enclose(9, end);   // the two fields above are the message in field 9
//
// The buffer is kept for the next message. No exceptions but bad_alloc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace gym::telemetry::otlp {

enum class wire_type : std::uint8_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

inline constexpr std::uint32_t tag_of(std::uint32_t field, wire_type type) noexcept {
    return field << 3 | static_cast<std::uint32_t>(type);
}

// Bytes of a varint.
inline constexpr std::size_t varint_size(std::uint64_t value) noexcept {
    return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Writes it and returns where it ended. There must be room.
inline char* put_varint(char* to, std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
    *to++ = static_cast<char>(value);
    return to;
}

inline char* put_fixed64(char* to, std::uint64_t value) noexcept {
    static_assert(std::endian::native == std::endian::little, "OTLP's fixed fields are copied");
    std::memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

class backward_writer {
public:
    std::string_view bytes() const noexcept { return {begin(), size_}; }
    std::size_t size() const noexcept { return size_; }
    void clear() noexcept { size_ = 0; }

    // Room for so many bytes before all others, to be filled by the caller.
    char* take(std::size_t count) {
        if (count > capacity_ - size_) [[unlikely]]
            grow(count);
        size_ += count;
        return begin();
    }

    void raw(std::string_view bytes) {
        char* to = take(bytes.size());
        if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    }
    void varint(std::uint64_t value) { put_varint(take(varint_size(value)), value); }

    void number(std::uint32_t field, std::uint64_t value) {
        varint(value);
        varint(tag_of(field, wire_type::varint));
    }
    void fixed64(std::uint32_t field, std::uint64_t value) {
        put_fixed64(take(sizeof value), value);
        varint(tag_of(field, wire_type::fixed64));
    }
    void real(std::uint32_t field, double value) {
        fixed64(field, std::bit_cast<std::uint64_t>(value));
    }
    void fixed32(std::uint32_t field, std::uint32_t value) {
        std::memcpy(take(sizeof value), &value, sizeof value);
        varint(tag_of(field, wire_type::fixed32));
    }
    void text(std::uint32_t field, std::string_view value) {
        const std::size_t end = size_;
        raw(value);
        enclose(field, end);
    }
    // What was written since size() was `end` becomes the content of a field.
    void enclose(std::uint32_t field, std::size_t end) {
        varint(size_ - end);
        varint(tag_of(field, wire_type::length_delimited));
    }

private:
    char* begin() const noexcept { return data_.get() + (capacity_ - size_); }
    void grow(std::size_t count);

    std::unique_ptr<char[]> data_;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

}  // namespace gym::telemetry::otlp
