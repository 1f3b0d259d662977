// SPDX-License-Identifier: Apache-2.0
#include "health/row_reader.hpp"

#include <string>

#include <gtest/gtest.h>

namespace gym::telemetry::health {
namespace {

read_outcome outcome_of(std::string_view text, read_rules rules = read_rules::strict) {
    row_reader reader;
    return reader.read(text, rules);
}

json_value value_of(row_reader& reader, std::string_view text,
                    read_rules rules = read_rules::strict) {
    EXPECT_EQ(reader.read(text, rules), read_outcome::object) << text;
    return reader.root().find("a");
}

std::string nested(std::size_t levels, std::string_view inside = "") {
    return std::string(levels, '[') + std::string(inside) + std::string(levels, ']');
}

class RefusedRow : public testing::TestWithParam<std::string> {};

TEST_P(RefusedRow, IsNotJson) {
    EXPECT_EQ(outcome_of(GetParam()), read_outcome::not_json);
}

INSTANTIATE_TEST_SUITE_P(
    RowReader, RefusedRow,
    testing::Values("", "{", "}", R"({"a":1}x)", R"({"a":NaN})", R"({"a":Infinity})", R"({"a":01})",
                    R"({"a":1,})", R"({"a":.5})", R"({"a":1.})", R"({"a":+1})", R"({"a":1e999})",
                    R"({"a":-1e999})", "{\"a\":\"\t\"}", "\xEF\xBB\xBF{}", "{} // x",
                    R"({"a":"\ud800"})", R"({"a":"\udc00"})", R"({"a":"\ud800\u0041"})",
                    R"({"a":"\x"})", "{\"a\":\"\xFF\"}", "{\"a\":\"\xED\xA0\x80\"}",
                    "{\"a\":\"\xC0\x80\"}", "{\"a\":" + std::string(400, '9') + "}"));

TEST(RowReader, TellsOtherJsonFromObjects) {
    for (const char* text : {"[]", "1", "\"x\"", "null", "true"})
        EXPECT_EQ(outcome_of(text), read_outcome::not_an_object) << text;
    EXPECT_EQ(outcome_of("{}"), read_outcome::object);
    EXPECT_EQ(outcome_of(R"({"a":"\u0000"})"), read_outcome::object);
    EXPECT_EQ(outcome_of(R"({"a":"\ud83d\ude00"})"), read_outcome::object);
}

// An empty innermost container counts as a level like any other.
TEST(RowReader, NestsSoDeeplyAndNoDeeper) {
    for (const char* inside : {"", "1"}) {
        EXPECT_EQ(outcome_of(nested(1024, inside)), read_outcome::not_an_object);
        EXPECT_EQ(outcome_of(nested(1025, inside)), read_outcome::not_json);
    }
    EXPECT_EQ(outcome_of("{\"a\":" + nested(1023) + "}"), read_outcome::object);
    EXPECT_EQ(outcome_of("{\"a\":" + nested(1024) + "}"), read_outcome::not_json);
}

TEST(RowReader, ReadsAgainAfterARefusal) {
    row_reader reader;
    EXPECT_EQ(reader.read(nested(5000)), read_outcome::not_json);
    EXPECT_EQ(reader.read(R"({"a":7})"), read_outcome::object);
    EXPECT_EQ(reader.root().find("a").integer(), 7);
}

TEST(RowReader, KeepsIntegersOf64Bits) {
    row_reader reader;
    EXPECT_TRUE(value_of(reader, R"({"a":18446744073709551615})").is_integer());
    EXPECT_TRUE(value_of(reader, R"({"a":-9223372036854775808})").is_integer());
    EXPECT_EQ(value_of(reader, R"({"a":-0})").integer(), 0);
    EXPECT_TRUE(value_of(reader, R"({"a":18446744073709551616})").is_double());
    EXPECT_EQ(reader.root().find("a").number(), 18446744073709551616.0);
    EXPECT_TRUE(value_of(reader, R"({"a":-9223372036854775809})").is_double());
    EXPECT_TRUE(value_of(reader, R"({"b":"123456789012345678901234","a":1.5})").is_double());
}

TEST(RowReader, TakesTheLastOfEqualKeys) {
    row_reader reader;
    EXPECT_EQ(value_of(reader, R"({"a":1,"b":2,"a":3})").integer(), 3);
}

TEST(RowReader, ReadsMoreByTheWideRules) {
    row_reader reader;
    EXPECT_EQ(value_of(reader, R"({"a":"x\ud800y"})", read_rules::wide).text(), "x\xEF\xBF\xBDy");
    EXPECT_EQ(value_of(reader, R"({"a":"\udc00"})", read_rules::wide).text(), "\xEF\xBF\xBD");
    EXPECT_EQ(value_of(reader, R"({"a":"\ud83d\ude00"})", read_rules::wide).text(),
              "\xF0\x9F\x98\x80");
    EXPECT_GT(value_of(reader, R"({"a":1e999})", read_rules::wide).number(), 1e308);
    EXPECT_LT(value_of(reader, R"({"a":-1e999})", read_rules::wide).number(), -1e308);
    EXPECT_EQ(value_of(reader, R"({"b":1e999,"a":1e-999})", read_rules::wide).number(), 0);
    EXPECT_EQ(outcome_of(R"({"a":NaN})", read_rules::wide), read_outcome::not_json);
    EXPECT_EQ(outcome_of(R"({"a":"\)", read_rules::wide), read_outcome::not_json);
    EXPECT_EQ(outcome_of(R"({"a":"\u12)", read_rules::wide), read_outcome::not_json);
}

TEST(TrimRow, TakesFiveBytesOffBothEnds) {
    EXPECT_EQ(trim_row(" \t\r\v\f{}\f\v\r\t "), "{}");
    EXPECT_EQ(trim_row(" \t\r\v\f"), "");
    EXPECT_EQ(trim_row(std::string_view("\0{}", 3)), std::string_view("\0{}", 3));
}

}  // namespace
}  // namespace gym::telemetry::health
