// SPDX-License-Identifier: Apache-2.0
#include "health/conversions.hpp"

#include "health/row_reader.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace gym::telemetry::health {
namespace {

class Conversions : public testing::Test {
protected:
    json_value value(const std::string& json) {
        EXPECT_EQ(reader_.read("{\"a\":" + json + "}"), read_outcome::object) << json;
        return reader_.root().find("a");
    }
    row_reader reader_;
};

TEST_F(Conversions, MakeIntegersOfWhatSpellsOne) {
    const std::pair<const char*, long long> valid[] = {
        {"1", 1},          {"true", 1},           {"false", 0},        {"2.0", 2},
        {"-0.0", 0},       {"\"1_0\"", 10},       {"\"+1\"", 1},       {"\" -12.00 \"", -12},
        {"\"00012\"", 12}, {"\"1_000.0\"", 1000}, {"\"\\u00a01\"", 1}, {"\"0_0\"", 0}};
    for (const auto& [json, expected] : valid)
        EXPECT_EQ(to_integer(value(json)), wide_integer{expected}) << json;
    for (const char* json : {"1.5", "1e300", "9223372036854775808.0", "\"1.\"", "\".0\"", "\"\"",
                             "\"1__0\"", "\"_1\"", "\"1_\"", "\"1.5\"", "\"1.0_0\"", "\"1e3\"",
                             "\"0x1\"", "\"+ 1\"", "\"\\u001c1\"", "null", "[]", "{}"})
        EXPECT_FALSE(to_integer(value(json))) << json;
}

TEST_F(Conversions, BoundTheDigitsOfAnInteger) {
    EXPECT_TRUE(to_integer(value("\"" + std::string(4300, '1') + "\"")));
    EXPECT_FALSE(to_integer(value("\"" + std::string(4301, '1') + "\"")));
    EXPECT_EQ(to_integer(value("\"" + std::string(5000, '0') + "7\"")), wide_integer{7});
}

TEST_F(Conversions, MakeNumbersOfWhatSpellsOne) {
    const std::pair<const char*, double> valid[] = {{"1", 1},
                                                    {"true", 1},
                                                    {"\"1.\"", 1},
                                                    {"\".5\"", 0.5},
                                                    {"\"1e5\"", 1e5},
                                                    {"\" 1.5 \"", 1.5},
                                                    {"\"1_0.5\"", 10.5},
                                                    {"\"._5\"", 0.5},
                                                    {"\"inf\"", INFINITY},
                                                    {"\"-Infinity\"", -INFINITY},
                                                    {"\"1e400\"", INFINITY},
                                                    {"\"1e-400\"", 0}};
    for (const auto& [json, expected] : valid) EXPECT_EQ(to_number(value(json)), expected) << json;
    EXPECT_TRUE(std::isnan(*to_number(value("\"NaN\""))));
    for (const char* json : {"\"\"", "\"1e\"", "\"+ 1\"", "\"0x10\"", "\"infinit\"", "\"_1\"",
                             "\"1,0\"", "\".\"", "\" 1_0 \"", "null", "[]"})
        EXPECT_FALSE(to_number(value(json))) << json;
}

TEST_F(Conversions, MakeBooleansOfWhatSpellsOne) {
    for (const char* json : {"true", "1", "1.0", "\"tRuE\"", "\"t\"", "\"YES\"", "\"y\"", "\"on\""})
        EXPECT_EQ(to_boolean(value(json)), true) << json;
    for (const char* json : {"false", "0", "-0.0", "\"f\"", "\"No\"", "\"n\"", "\"OFF\"", "\"0\""})
        EXPECT_EQ(to_boolean(value(json)), false) << json;
    for (const char* json : {"2", "0.5", "\"\"", "\" true\"", "\"2\"", "null", "[]"})
        EXPECT_FALSE(to_boolean(value(json))) << json;
}

}  // namespace
}  // namespace gym::telemetry::health
