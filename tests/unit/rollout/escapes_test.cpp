// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <rollout/escapes.hpp>
#include <rollout/json_scan.hpp>

namespace gym::telemetry::rollout {
namespace {

// One backslash after the other, as the rule says it.
bool naive(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') continue;
        const char* next = skip_escape(text.c_str() + i);
        if (next == nullptr) return false;
        i = static_cast<std::size_t>(next - text.c_str()) - 1;
    }
    return true;
}

bool fast(std::string text, bool portable) {
    const std::size_t size = text.size();
    text.append(scan_padding, '\\');  // what follows the text is none of its business
    return (portable ? escapes_are_valid_portable : escapes_are_valid)(text.data(), size);
}

TEST(Escapes, AgreeWithTheRuleForEveryByteAtEveryPlace) {
    for (int byte = 0; byte < 256; ++byte)
        for (const std::size_t before : {0U, 1U, 30U, 31U, 62U, 63U, 64U, 127U}) {
            std::string text(before, 'x');
            text += '\\';
            text += static_cast<char>(byte);
            text += "0041 \n";
            EXPECT_EQ(fast(text, false), naive(text)) << byte << " after " << before;
            EXPECT_EQ(fast(text, true), naive(text)) << byte << " after " << before;
        }
}

TEST(Escapes, AgreeWithTheRuleOnRunsOfBackslashes) {
    std::mt19937 random(1);
    constexpr std::string_view alphabet = "\\\\\\\\\\\\\\\\\"nux0a";
    int valid = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::size_t n = random() % 200; n > 0; --n)
            text += random() % 8 == 0 ? alphabet[random() % alphabet.size()] : '\\';
        text += '\n';
        const bool expected = naive(text);
        valid += expected;
        ASSERT_EQ(fast(text, false), expected) << text;
        ASSERT_EQ(fast(text, true), expected) << text;
    }
    EXPECT_GT(valid, 100);
}

}  // namespace
}  // namespace gym::telemetry::rollout
