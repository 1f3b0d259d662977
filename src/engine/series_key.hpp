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

// A key record in memory: this, then the texts one after the other. Immutable once published. Where
// an instrument has several attributes, before this stand the values' numbers: the same number is
// the same text, among the keys of one instrument.
// An alias is the raw form that some caller uses of values that the rules change ("Boom at
// 10.0.0.7" for unregistered): it has the index of the series it stands for.
struct series_key {
    std::uint64_t hash = 0;
    std::uint32_t series = 0;  // index in its instrument
    std::array<std::uint16_t, max_attributes> lengths{};
    const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
    char* text() noexcept { return reinterpret_cast<char*>(this + 1); }
    // Where value i begins.
    const char* value(std::size_t i) const noexcept {
        const char* at = text();
        for (std::size_t before = 0; before < i; ++before) at += lengths[before];
        return at;
    }
    // Word k holds the numbers of values 2k and 2k + 1.
    std::uint64_t numbers(std::size_t k) const noexcept {
        return reinterpret_cast<const std::uint64_t*>(this)[-1 - static_cast<std::ptrdiff_t>(k)];
    }
};
static_assert(sizeof(series_key) == 24);

// Whether values differ of which `changed` has no bit. Of instruments with several attributes.
template <std::size_t Count>
[[gnu::always_inline]] inline bool differ_in_numbers(const series_key& key,
                                                     const std::uint64_t* numbers,
                                                     unsigned changed) noexcept {
    // The bits of a word that count, by its two bits of `changed`.
    static constexpr std::uint64_t low = 0xffffffff;
    static constexpr std::uint64_t counts[4] = {~std::uint64_t{0}, ~low, low, 0};
    std::uint64_t differ = 0;
#pragma GCC unroll 3
    for (std::size_t k = 0; k < (Count + 1) / 2; ++k)
        differ |= (key.numbers(k) ^ numbers[k]) & counts[changed >> 2 * k & 3];
    return differ != 0;
}

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

// 0 when two texts of the same length are the same. By loads that overlap, and without a call, for
// which every record would have to save registers: most values are names of 5 to 24 bytes.
[[gnu::always_inline]] inline std::uint64_t difference(const char* a, const char* b,
                                                       std::size_t size) noexcept {
    using bytes::load4;
    using bytes::load8;
    const auto ends = [&](std::size_t at) __attribute__((always_inline)) {
        return (load8(a + at) ^ load8(b + at)) |
               (load8(a + size - 8 - at) ^ load8(b + size - 8 - at));
    };
    if (size - 8 <= 8) [[likely]]
        return ends(0);
    if (size - 17 <= 15) [[likely]]
        return ends(0) | ends(8);
    if (size > 32) {
        std::uint64_t all = ends(0) | ends(8);
        for (std::size_t at = 16; at < size - 16; at += 16)
            all |= (load8(a + at) ^ load8(b + at)) | (load8(a + at + 8) ^ load8(b + at + 8));
        return all;
    }
    if (size >= 4) return (load4(a) ^ load4(b)) | (load4(a + size - 4) ^ load4(b + size - 4));
    if (size == 0) return 0;
    return static_cast<std::uint64_t>((a[0] ^ b[0]) | (a[size / 2] ^ b[size / 2]) |
                                      (a[size - 1] ^ b[size - 1]));
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
// Differs from value to value, so that "a", "b" is not "b", "a".
constexpr std::uint64_t seed_of(std::size_t i) noexcept {
    return hash_seed + hash_step * (i + 1);
}

// Several values are hashed side by side and added up: in a chain each would wait for the one
// before (5 values: 50 cycles of multiplications). The hash of one value needs no more.
inline std::uint64_t finish_hash(std::uint64_t sum) noexcept {
    return bytes::mix(sum ^ 0xe7037ed1a0b428dbull, hash_step);
}

inline std::uint64_t hash_values(const std::string_view* values, std::size_t count) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += hash_value(values[i], seed_of(i));
    return count == 1 ? sum : finish_hash(sum);
}

inline bool matches(const series_key& key, const std::string_view* values,
                    std::size_t count) noexcept {
    const char* text = key.text();
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i].size() != key.lengths[i]) return false;
        if (difference(text, values[i].data(), values[i].size()) != 0) return false;
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
