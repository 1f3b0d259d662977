// SPDX-License-Identifier: Apache-2.0
//
// The key of a series: the values of its attributes, in the order of the instrument's row. Identity
// is all bytes of it; the hash only finds the place.
#pragma once

#include "engine/instrument_row.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gym::telemetry::engine {

// A key record in memory: this, then the texts one after the other. Immutable once published.
// An alias is the raw form that some caller uses of values that the rules change ("Boom at
// 10.0.0.7" for unregistered): it has the index of the series it stands for.
struct series_key {
    std::uint64_t hash = 0;
    std::uint32_t series = 0;  // index in its instrument
    std::array<std::uint16_t, max_attributes> lengths{};
    const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
    char* text() noexcept { return reinterpret_cast<char*>(this + 1); }
};
static_assert(sizeof(series_key) == 24);

namespace bytes {

inline std::uint64_t load8(const char* p) noexcept {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}
inline std::uint64_t load4(const char* p) noexcept {
    std::uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace bytes

// Exact comparison of two texts of the same length. Up to 32 bytes without a call, by loads that
// overlap: most values are names of 5 to 24 bytes.
[[gnu::always_inline]] inline bool same_bytes(const char* a, const char* b,
                                              std::size_t size) noexcept {
    using bytes::load4;
    using bytes::load8;
    if (size >= 8) {
        if (size <= 16)
            return ((load8(a) ^ load8(b)) | (load8(a + size - 8) ^ load8(b + size - 8))) == 0;
        if (size <= 32)
            return ((load8(a) ^ load8(b)) | (load8(a + 8) ^ load8(b + 8)) |
                    (load8(a + size - 16) ^ load8(b + size - 16)) |
                    (load8(a + size - 8) ^ load8(b + size - 8))) == 0;
        return std::memcmp(a, b, size) == 0;
    }
    if (size >= 4)
        return ((load4(a) ^ load4(b)) | (load4(a + size - 4) ^ load4(b + size - 4))) == 0;
    if (size == 0) return true;
    return a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1];
}

// All bytes of one value go in (wyhash's scheme: one 64x64 multiplication for each 16 bytes). The
// seed is the value's place among the others, so that "a", "b" differs from "b", "a".
[[gnu::always_inline]] inline std::uint64_t hash_value(std::string_view value,
                                                       std::uint64_t seed) noexcept {
    using bytes::load4;
    using bytes::load8;
    using bytes::mix;
    const char* p = value.data();
    std::size_t left = value.size();
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (left > 16) {
        for (; left > 16; left -= 16, p += 16)
            seed = mix(load8(p) ^ 0xa0761d6478bd642full, load8(p + 8) ^ seed);
        a = load8(p + left - 16);
        b = load8(p + left - 8);
    } else if (left >= 8) {
        a = load8(p);
        b = load8(p + left - 8);
    } else if (left >= 4) {
        a = load4(p);
        b = load4(p + left - 4);
    } else if (left > 0) {
        a = static_cast<std::uint64_t>(static_cast<unsigned char>(p[0])) << 16 |
            static_cast<std::uint64_t>(static_cast<unsigned char>(p[left / 2])) << 8 |
            static_cast<unsigned char>(p[left - 1]);
    }
    return mix(a ^ 0x8ebc6af09c88c6e3ull ^ value.size(), b ^ seed);
}

inline constexpr std::uint64_t hash_seed = 0x589965cc75374cc3ull;
inline constexpr std::uint64_t hash_step = 0x9e3779b97f4a7c15ull;

// The values are hashed side by side and added up: in a chain each would wait for the one before
// (5 values: 50 cycles of multiplications).
inline std::uint64_t finish_hash(std::uint64_t sum) noexcept {
    return bytes::mix(sum ^ 0xe7037ed1a0b428dbull, hash_step);
}

// Values given one by one stay in registers: an array would be written to memory first.
template <class... Text>
[[gnu::always_inline]] inline std::uint64_t hash_each(Text... values) noexcept {
    std::uint64_t seed = hash_seed;
    std::uint64_t sum = 0;
    ((sum += hash_value(values, seed += hash_step)), ...);
    return finish_hash(sum);
}

inline std::uint64_t hash_values(const std::string_view* values, std::size_t count) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += hash_value(values[i], hash_seed + hash_step * (i + 1));
    return finish_hash(sum);
}

template <class... Text>
[[gnu::always_inline]] inline bool matches_each(const series_key& key, Text... values) noexcept {
    const char* text = key.text();
    const std::uint16_t* length = key.lengths.data();
    const auto next = [&](std::string_view value) __attribute__((always_inline)) {
        if (value.size() != *length++ || !same_bytes(text, value.data(), value.size()))
            return false;
        text += value.size();
        return true;
    };
    return (next(values) && ...);
}

inline bool matches(const series_key& key, const std::string_view* values,
                    std::size_t count) noexcept {
    const char* text = key.text();
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i].size() != key.lengths[i]) return false;
        if (!same_bytes(text, values[i].data(), values[i].size())) return false;
        text += values[i].size();
    }
    return true;
}

// The values of a key, in order; `values` has room for `count`.
inline void values_of(const series_key& key, std::string_view* values, std::size_t count) noexcept {
    const char* text = key.text();
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = {text, key.lengths[i]};
        text += key.lengths[i];
    }
}

}  // namespace gym::telemetry::engine
