// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Environment, ABlankVariableIsAnUnsetOne) {
    const environment variables({{"EMPTY", ""}, {"BLANK", " \t\n"}, {"SET", " value \n"}});
    EXPECT_FALSE(variables.is_set("EMPTY"));
    EXPECT_FALSE(variables.is_set("BLANK"));
    EXPECT_FALSE(variables.is_set("MISSING"));
    EXPECT_EQ(variables.get("SET"), "value");
}

TEST(Environment, OfTheProcessIsReadAnewEachTime) {
    const environment process = environment::of_process();
    ASSERT_EQ(setenv("GYM_TELEMETRY_ENVIRONMENT_TEST", "one", 1), 0);
    EXPECT_EQ(process.get("GYM_TELEMETRY_ENVIRONMENT_TEST"), "one");
    ASSERT_EQ(unsetenv("GYM_TELEMETRY_ENVIRONMENT_TEST"), 0);
    EXPECT_EQ(process.get("GYM_TELEMETRY_ENVIRONMENT_TEST"), std::nullopt);
}

TEST(Environment, AMapHidesTheProcess) {
    ASSERT_NE(std::getenv("PATH"), nullptr);
    EXPECT_FALSE(environment().is_set("PATH"));
}

TEST(ParseBoolean, KnowsFourWordsOfEachKindInAnyCase) {
    for (const char* text : {"1", "true", "TRUE", "True", "yes", "Yes", "on", "ON", " on "}) {
        EXPECT_EQ(parse_boolean(text), true) << text;
    }
    for (const char* text : {"0", "false", "False", "no", "NO", "off", "Off"}) {
        EXPECT_EQ(parse_boolean(text), false) << text;
    }
    for (const char* text : {"", "2", "t", "y", "enabled", "truee", "10", "o n"}) {
        EXPECT_EQ(parse_boolean(text), std::nullopt) << text;
    }
}

TEST(ParseInteger, TakesWholeDecimalNumbersOnly) {
    EXPECT_EQ(parse_integer("60000"), 60000);
    EXPECT_EQ(parse_integer(" 5 "), 5);
    EXPECT_EQ(parse_integer("-1"), -1);
    EXPECT_EQ(parse_integer("007"), 7);
    EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    for (const char* text :
         {"", "10s", "1e3", "0x10", "+5", "5.0", "1 2", "-", "9223372036854775808", "ten"}) {
        EXPECT_EQ(parse_integer(text), std::nullopt) << text;
    }
}

TEST(ParseNumber, TakesFiniteNumbersOnly) {
    EXPECT_EQ(parse_number("0.5"), 0.5);
    EXPECT_EQ(parse_number("1e3"), 1000.0);
    for (const char* text : {"", "1s", "nan", "inf", "1e999", "1,5"}) {
        EXPECT_EQ(parse_number(text), std::nullopt) << text;
    }
}

TEST(ParseList, TrimsItemsAndLeavesOutBlankOnes) {
    EXPECT_THAT(parse_list(" a, b c ,,\td\n,"), ElementsAre("a", "b c", "d"));
    EXPECT_THAT(parse_list("one"), ElementsAre("one"));
    EXPECT_THAT(parse_list(""), IsEmpty());
    EXPECT_THAT(parse_list(" , ,"), IsEmpty());
}

TEST(Join, PutsTheTextBetweenItems) {
    EXPECT_EQ(join({"a", "b", "c"}), "a,b,c");
    EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
    EXPECT_EQ(join({}), "");
}

}  // namespace
}  // namespace gym::telemetry::detail
