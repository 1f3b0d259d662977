// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using namespace std::string_literals;

std::string normalized(std::string_view text) {
    std::array<char, attribute_size_max> buffer;
    return std::string(normalize_text(text, buffer));
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

// Decodes by the definition (table 3-6), then checks the code point: another way to the same.
bool is_valid_by_definition(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        const std::uint32_t lead = byte(i);
        const std::size_t size = lead < 0x80           ? 1
                                 : (lead >> 5) == 0x06 ? 2
                                 : (lead >> 4) == 0x0E ? 3
                                 : (lead >> 3) == 0x1E ? 4
                                                       : 0;
        if (size == 0 || i + size > text.size()) return false;
        std::uint32_t code = size == 1 ? lead : lead & (0xFFU >> (size + 1));
        for (std::size_t k = 1; k < size; ++k) {
            if ((byte(i + k) >> 6) != 2) return false;
            code = (code << 6) | (byte(i + k) & 0x3FU);
        }
        constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
        if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
            return false;
        }
        i += size;
    }
    return true;
}

TEST(Utf8, ValidTextIsReturnedAsItStands) {
    const std::string text = "docker \xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x99\x82 and more than one word";
    std::array<char, attribute_size_max> buffer;
    const std::string_view result = normalize_text(text, buffer);
    EXPECT_EQ(result, text);
    EXPECT_EQ(result.data(), text.data());
    EXPECT_TRUE(is_valid_utf8_and_short(text));
    EXPECT_EQ(normalized(""), "");
}

TEST(Utf8, NulIsACharacter) {
    const std::string text("a\0b\0", 4);
    EXPECT_TRUE(is_valid_utf8_and_short(text));
    EXPECT_EQ(normalized(text), text);
}

TEST(Utf8, ReplacesEachMaximalSubpart) {
    // The examples of the Unicode standard, tables 3-8 to 3-11.
    const std::string u = "\xEF\xBF\xBD";
    EXPECT_EQ(normalized("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), repeated(u, 8) + "A");
    EXPECT_EQ(normalized("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), repeated(u, 8) + "A");
    EXPECT_EQ(normalized("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
              repeated(u, 5) + "A" + repeated(u, 2) + "B");
    EXPECT_EQ(normalized("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), repeated(u, 4) + "A");
}

TEST(Utf8, ReplacesACharacterThatIsCutAtTheEnd) {
    EXPECT_EQ(normalized("ok \xE2\x82"), "ok \xEF\xBF\xBD");
    EXPECT_EQ(normalized("long enough for words \xF0\x9F\x99"),
              "long enough for words \xEF\xBF\xBD");
}

TEST(Utf8, KeepsWhatIsExactlyAsLongAsAllowed) {
    const std::string text(attribute_size_max, 'x');
    EXPECT_TRUE(is_valid_utf8_and_short(text));
    EXPECT_EQ(normalized(text), text);
    EXPECT_FALSE(is_valid_utf8_and_short(text + "x"));
    EXPECT_EQ(normalized(text + "x"), text);
}

TEST(Utf8, NeverSplitsACharacterWhenItCuts) {
    for (const std::string_view character : {"\xC3\xA9", "\xE6\xBC\xA2", "\xF0\x9F\x99\x82"}) {
        for (std::size_t lead = 0; lead < 8; ++lead) {
            const std::string text = std::string(lead, 'x') + repeated(character, 1000);
            const std::string cut = normalized(text);
            EXPECT_TRUE(text.starts_with(cut));
            EXPECT_TRUE(is_valid_utf8(cut));
            EXPECT_LE(cut.size(), attribute_size_max);
            EXPECT_GT(cut.size() + character.size(), attribute_size_max);
        }
    }
}

TEST(Utf8, CutsBeforeAReplacementThatDoesNotFit) {
    for (std::size_t room = 0; room < 5; ++room) {
        const std::string head(attribute_size_max - room, 'x');
        const std::string expected = room >= 3 ? head + "\xEF\xBF\xBD" : head;
        EXPECT_EQ(normalized(head + "\xFF\xFF"), expected) << room;
    }
}

TEST(Utf8, AnInvalidByteBehindTheLimitDoesNotMatter) {
    std::string text(attribute_size_max, 'x');
    text.push_back('\xFF');
    EXPECT_EQ(normalized(text), std::string(attribute_size_max, 'x'));
}

TEST(Utf8, ALongTextOfInvalidBytesIsReplacedAndCut) {
    EXPECT_EQ(normalized(std::string(5000, '\xFF')), repeated("\xEF\xBF\xBD", 341));
}

TEST(Utf8, FindsABadByteWhereverItIs) {
    for (std::size_t size = 1; size < 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'x');
            EXPECT_TRUE(is_valid_utf8(text));
            text[at] = '\x80';
            EXPECT_FALSE(is_valid_utf8(text)) << size << ' ' << at;
        }
    }
}

// All pairs and many longer texts of bytes that matter, against the definition.
TEST(Utf8, AgreesWithTheDefinition) {
    for (int a = 0; a < 256; ++a) {
        for (int b = 0; b < 256; ++b) {
            const std::string text{static_cast<char>(a), static_cast<char>(b)};
            ASSERT_EQ(is_valid_utf8(text), is_valid_by_definition(text)) << a << ' ' << b;
        }
    }
    constexpr std::string_view bytes =
        "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5";
    std::mt19937 random(1);
    for (int i = 0; i < 200'000; ++i) {
        std::string text(random() % 8, 'x');
        for (std::size_t k = random() % 6; k > 0; --k) text += bytes[random() % bytes.size()];
        text.append(random() % 10, 'y');
        ASSERT_EQ(is_valid_utf8(text), is_valid_by_definition(text))
            << testing::PrintToString(text);
        const std::string result = normalized(text);
        ASSERT_TRUE(is_valid_by_definition(result)) << testing::PrintToString(text);
        ASSERT_EQ(normalized(result), result);
    }
}

}  // namespace
}  // namespace gym::telemetry::detail
