// SPDX-License-Identifier: Apache-2.0
#include "base/display_width.hpp"

#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

TEST(DisplayWidth, CountsColumns) {
    EXPECT_EQ(display_width(""), 0u);
    EXPECT_EQ(display_width("wordle"), 6u);
    EXPECT_EQ(display_width("prüfung"), 7u);
    EXPECT_EQ(display_width("数学"), 4u);
    EXPECT_EQ(display_width("한국어"), 6u);
    EXPECT_EQ(display_width("ﾊﾝｶｸ"), 4u) << "half width";
    EXPECT_EQ(display_width("Ｆｕｌｌ"), 8u);
    EXPECT_EQ(display_width("🚀"), 2u);
    EXPECT_EQ(display_width("e\u0301te\u0301"), 3u) << "combining accents";
    EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2u) << "a syllable of three parts";
    EXPECT_EQ(display_width("\xff\xe6\x95"), 3u) << "no UTF-8";
}

TEST(DisplayWidth, FirstAndLastOfEachRange) {
    EXPECT_EQ(display_width("\u10ff"), 1u);
    EXPECT_EQ(display_width("\u1100"), 2u);
    EXPECT_EQ(display_width("\u115f"), 2u);
    EXPECT_EQ(display_width("\U0003fffd"), 2u);
    EXPECT_EQ(display_width("\U0003fffe"), 1u);
    EXPECT_EQ(display_width("\u02ff\u0300\u036f\u0370"), 2u);
}

TEST(DisplayWidth, WhatFitsEndsAtACharacter) {
    EXPECT_EQ(begin_that_fits("数学问题", 5), "数学");
    EXPECT_EQ(begin_that_fits("数学问题", 1), "");
    EXPECT_EQ(begin_that_fits("e\u0301te", 1), "e\u0301");
    EXPECT_EQ(begin_that_fits("ab", 9), "ab");
    EXPECT_EQ(end_that_fits("数学问题", 5), "问题");
    EXPECT_EQ(end_that_fits("数学问题", 8), "数学问题");
    EXPECT_EQ(end_that_fits("ae\u0301t", 1), "t") << "no accent without its letter";
    EXPECT_EQ(end_that_fits("abc", 0), "");
}

}  // namespace
}  // namespace gym::telemetry::detail
