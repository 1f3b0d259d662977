// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gym::telemetry::detail {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// A character at the start of some text, or the maximal subpart of one that is not whole.
struct sequence {
    std::size_t size = 1;
    bool valid = false;
};

// What may follow a lead byte (table 3-7 of the Unicode standard): the number of continuation bytes
// and the range of the first of them, which keeps out overlong forms and surrogates.
struct lead_rule {
    std::size_t continuation_count;
    std::uint8_t first_min;
    std::uint8_t first_max;
};

constexpr lead_rule rule_of(std::uint8_t lead) noexcept {
    if (lead < 0xC2) return {0, 0, 0};
    if (lead < 0xE0) return {1, 0x80, 0xBF};
    if (lead == 0xE0) return {2, 0xA0, 0xBF};
    if (lead == 0xED) return {2, 0x80, 0x9F};
    if (lead < 0xF0) return {2, 0x80, 0xBF};
    if (lead == 0xF0) return {3, 0x90, 0xBF};
    if (lead < 0xF4) return {3, 0x80, 0xBF};
    if (lead == 0xF4) return {3, 0x80, 0x8F};
    return {0, 0, 0};
}

// `text` is not empty.
sequence first_sequence(std::string_view text) noexcept {
    const auto lead = static_cast<std::uint8_t>(text[0]);
    if (lead < 0x80) return {1, true};
    const lead_rule rule = rule_of(lead);
    if (rule.continuation_count == 0) return {1, false};
    for (std::size_t i = 1; i <= rule.continuation_count; ++i) {
        if (i == text.size()) return {i, false};
        const auto byte = static_cast<std::uint8_t>(text[i]);
        const std::uint8_t min = i == 1 ? rule.first_min : 0x80;
        const std::uint8_t max = i == 1 ? rule.first_max : 0xBF;
        if (byte < min || byte > max) return {i, false};
    }
    return {rule.continuation_count + 1, true};
}

template <class Word>
Word load(const char* bytes) noexcept {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// The ASCII bytes at the start of the text, as far as whole words go.
std::size_t ascii_words_size(std::string_view text) noexcept {
    std::size_t size = 0;
    while (size + 8 <= text.size() &&
           (load<std::uint64_t>(text.data() + size) & 0x8080808080808080U) == 0) {
        size += 8;
    }
    return size;
}

// Nearly all attribute values are short ASCII. The last word overlaps the one before it, so that no
// byte is looked at alone: 6 bytes take 2 ns instead of 13.
bool is_ascii(std::string_view text) noexcept {
    const char* const begin = text.data();
    const std::size_t size = text.size();
    if (size >= 8) {
        std::uint64_t seen = load<std::uint64_t>(begin + size - 8);
        for (std::size_t i = 0; i + 8 < size; i += 8) seen |= load<std::uint64_t>(begin + i);
        return (seen & 0x8080808080808080U) == 0;
    }
    if (size >= 4) {
        const std::uint32_t seen =
            load<std::uint32_t>(begin) | load<std::uint32_t>(begin + size - 4);
        return (seen & 0x80808080U) == 0;
    }
    if (size == 0) return true;
    const int seen = begin[0] | begin[size / 2] | begin[size - 1];
    return (seen & 0x80) == 0;
}

// The size of the longest valid start of the text.
std::size_t valid_size(std::string_view text) noexcept {
    std::size_t size = 0;
    while (size < text.size()) {
        size += ascii_words_size(text.substr(size));
        // As many characters as the word that was not ASCII may hold, then words are tried again.
        for (const std::size_t end = std::min(size + 8, text.size()); size < end;) {
            const sequence next = first_sequence(text.substr(size));
            if (!next.valid) return size;
            size += next.size;
        }
    }
    return size;
}

// Where a valid text that is too long must end so that no character is split.
std::size_t cut_size(std::string_view text, std::size_t size_max) noexcept {
    std::size_t size = size_max;
    while (size > 0 && (static_cast<std::uint8_t>(text[size]) & 0xC0) == 0x80) --size;
    return size;
}

}  // namespace

bool is_valid_utf8(std::string_view text) noexcept {
    return is_ascii(text) || valid_size(text) == text.size();
}

bool is_valid_utf8_and_short(std::string_view text) noexcept {
    return text.size() <= attribute_size_max && is_valid_utf8(text);
}

std::string_view normalize_text(std::string_view text,
                                std::span<char, attribute_size_max> buffer) noexcept {
    if (is_valid_utf8_and_short(text)) return text;
    // No character that begins beyond the limit can be in the result, and none has over 4 bytes.
    const std::string_view head = text.substr(0, attribute_size_max + 4);
    const std::size_t intact = valid_size(head);
    if (intact > attribute_size_max) return text.substr(0, cut_size(text, attribute_size_max));

    std::memcpy(buffer.data(), text.data(), intact);
    std::size_t size = intact;
    for (std::string_view rest = text.substr(intact); !rest.empty();) {
        const sequence next = first_sequence(rest);
        const std::string_view piece = next.valid ? rest.substr(0, next.size) : replacement;
        if (size + piece.size() > buffer.size()) break;
        std::memcpy(buffer.data() + size, piece.data(), piece.size());
        size += piece.size();
        rest.remove_prefix(next.size);
    }
    return {buffer.data(), size};
}

}  // namespace gym::telemetry::detail
