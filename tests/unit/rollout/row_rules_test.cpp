// SPDX-License-Identifier: Apache-2.0
//
// The rules of one row. Each is held against all three ways to read it.
#include "reading.hpp"
#include "row_mutator.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace gym::telemetry::rollout {
namespace {

seen_row read(std::string_view line) {
    const seen_row by_character = read_by_character(line);
    EXPECT_EQ(read_in_memory(line), by_character) << line.substr(0, 200);
    EXPECT_EQ(read_in_batch(line), by_character) << line.substr(0, 200);
    return by_character;
}

reject why(std::string_view line) {
    return read(line).why;
}

seen_row reward(const std::string& text) {
    return read("{\"reward\":" + text + "}");
}

TEST(RowRules, RewardIsANumberOnlyAsJsonNumber) {
    EXPECT_EQ(reward("0.5").reward_is, reward_state::number);
    EXPECT_EQ(reward("null").reward_is, reward_state::null);
    for (const char* text : {"true", "false", "\"1.0\"", "\"\"", "[1.0]", "[]", "{}", "{\"a\":1}"})
        EXPECT_EQ(reward(text).reward_is, reward_state::not_a_number) << text;
    EXPECT_EQ(read("{}").reward_is, reward_state::absent);
    EXPECT_EQ(read(R"({"a":{"reward":1},"b":[{"reward":1}]})").reward_is, reward_state::absent);
}

TEST(RowRules, NumbersOfAnySizeCountByTheirText) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(reward("1e999").reward, inf);
    EXPECT_EQ(reward("-1e999").reward, -inf);
    EXPECT_EQ(reward("1" + std::string(5000, '0')).reward, inf);
    EXPECT_EQ(reward("1e99999999999999999999999999").reward, inf);
    EXPECT_EQ(reward("-0.0").reward, 0);
    EXPECT_EQ(reward("1e-400").reward, 0);
    EXPECT_EQ(reward("-1e-99999999999999999999999999").reward, 0);
    EXPECT_EQ(reward("0." + std::string(5000, '0') + "1").reward, 0);
    EXPECT_EQ(reward("0e99999999999999999999").reward, 0);
    EXPECT_EQ(reward("1" + std::string(5000, '0') + "e-5000").reward, 1);
    EXPECT_EQ(reward("0." + std::string(5000, '0') + "1e5001").reward, 1);
    EXPECT_EQ(reward("5e-324").reward, 5e-324);
    EXPECT_EQ(reward("2e-324").reward, 0);
    EXPECT_EQ(reward("0.9999999999999998").reward, 0.9999999999999998);
    EXPECT_EQ(reward("0.99999999999999999999").reward, 1);
    EXPECT_EQ(reward("1.7976931348623157e308").reward, std::numeric_limits<double>::max());
    // Halfway between 1 and the next double, and a little more, far behind the digits that count.
    const std::string half = "1.00000000000000011102230246251565404236316680908203125";
    EXPECT_EQ(reward(half).reward, 1);
    EXPECT_EQ(reward(half + std::string(2000, '0') + "1").reward, 1 + 0x1p-52);
}

TEST(RowRules, TheLastOfRepeatedKeysWins) {
    EXPECT_EQ(reward(R"(0.0,"reward":1.0)").reward, 1);
    EXPECT_EQ(reward(R"(1.0,"reward":null)").reward_is, reward_state::null);
    EXPECT_EQ(reward(R"(1.0,"re\u0077ard":0.5)").reward, 0.5);
    EXPECT_EQ(read(R"({"agent_ref":{"name":"a","name":"b"}})").dispatch_name, "b");
    EXPECT_EQ(read(R"({"agent_ref":{"name":"a"},"agent_ref":{"name":"b"}})").dispatch_name, "b");
    EXPECT_EQ(read(R"({"agent_ref":{"name":"a"},"agent_ref":{}})").dispatch_name, "unknown");
    EXPECT_EQ(read(R"({"agent_ref":{"name":"a"},"agent_ref":3})").dispatch_name, "unknown");
    EXPECT_EQ(read(R"({"agent_ref":{"name":"a","name":null}})").dispatch_name, "unknown");
    const auto usage = read(
        R"({"response":{"usage":{"input_tokens":1,"output_tokens":2},"usage":{"input_tokens":3}}})");
    EXPECT_EQ(usage.input_tokens, 3);
    EXPECT_EQ(usage.output_tokens, std::nullopt);
    EXPECT_EQ(read(R"({"response":{"created_at":7},"response":null})").created_at_s, 0);
}

TEST(RowRules, DispatchNameIsServerThenAgentThenUnknown) {
    const std::string agent = R"("agent_ref":{"name":"agent"})";
    EXPECT_EQ(read(R"({"_ng_environment_server":"srv",)" + agent + "}").dispatch_name, "srv");
    for (const char* none : {"\"\"", "null", "5", "[\"srv\"]", "true"})
        EXPECT_EQ(read(R"({"_ng_environment_server":)" + std::string(none) + "," + agent + "}")
                      .dispatch_name,
                  "agent");
    EXPECT_EQ(read(R"({"agent_ref":{"name":""}})").dispatch_name, "unknown");
    EXPECT_EQ(read(R"({"agent_ref":["name"]})").dispatch_name, "unknown");
    EXPECT_EQ(read(R"({"name":"x","a":{"agent_ref":{"name":"y"}}})").dispatch_name, "unknown");
}

TEST(RowRules, EscapesInNamesStandForTheirCharacters) {
    const auto name = [](const std::string& raw) {
        return read(R"({"_ng_environment_server":")" + raw + "\"}").dispatch_name;
    };
    EXPECT_EQ(name(R"(a\"\\\/\b\f\n\r\tz)"), "a\"\\/\b\f\n\r\tz");
    EXPECT_EQ(name(R"(\u0041\u00e9\u20AC)"), "A\xc3\xa9\xe2\x82\xac");
    EXPECT_EQ(name(R"(\ud83d\ude00)"), "\xf0\x9f\x98\x80");
    EXPECT_EQ(name(R"(\u0000x)"), std::string("\0x", 2));
    EXPECT_EQ(name(R"(\ud83d)"), "\xef\xbf\xbd");
    EXPECT_EQ(name(R"(\ude00\ud83d)"), "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(name(R"(\ud83dx)"), "\xef\xbf\xbdx");
    EXPECT_EQ(name(R"(\ud83d\ud83d\ude00)"), "\xef\xbf\xbd\xf0\x9f\x98\x80");
    EXPECT_EQ(name(R"(\ud83d\n)"), "\xef\xbf\xbd\n");
    // Longer than any attribute: what is kept is enough for the recorder to cut it.
    std::string escaped;
    for (int i = 0; i < 3000; ++i) escaped += "\\u0041";
    EXPECT_EQ(name(escaped).substr(0, 1024), std::string(1024, 'A'));
}

TEST(RowRules, MaskIsJsonTrueOnly) {
    EXPECT_TRUE(read(R"({"mask_sample":true})").masked);
    for (const char* no : {"false", "null", "1", "\"true\"", "[true]", "{}"})
        EXPECT_FALSE(read(R"({"mask_sample":)" + std::string(no) + "}").masked) << no;
}

TEST(RowRules, DrainedIsWhatCountsAsTrue) {
    for (const char* yes : {"true", "1", "0.5", "\"no\"", "[0]", "{\"a\":0}", "-1e999"})
        EXPECT_TRUE(read(R"({"_ng_dispatch_drained":)" + std::string(yes) + "}").drained) << yes;
    for (const char* no : {"false", "null", "0", "-0.0", "\"\"", "[]", "{}", "[ ]", "{ }"})
        EXPECT_FALSE(read(R"({"_ng_dispatch_drained":)" + std::string(no) + "}").drained) << no;
}

TEST(RowRules, FailureFields) {
    const auto r = read(
        R"({"_ng_failure_class":"c","failure_kind":"k","_ng_failure_type":"t","failure_reason":"x"})");
    EXPECT_EQ(r.failure_class, "c");
    EXPECT_EQ(r.failure_kind, "k");
    EXPECT_EQ(r.failure_type, "t");
    const auto odd = read(
        R"({"_ng_failure_class":5,"failure_kind":null,"_ng_failure_type":["t"],"_ng_failure_kind":"x"})");
    EXPECT_EQ(odd.failure_class, "unregistered");
    EXPECT_EQ(odd.failure_kind, "");
    EXPECT_EQ(odd.failure_type, "unregistered");
}

TEST(RowRules, TokensAreCountsOrUnknown) {
    const auto tokens = [](const std::string& n) {
        return read(R"({"response":{"usage":{"input_tokens":)" + n + "}}}").input_tokens;
    };
    EXPECT_EQ(tokens("244"), 244);
    EXPECT_EQ(tokens("0"), 0);
    EXPECT_EQ(tokens("2.0"), 2);
    for (const char* n : {"null", "-1", "1.5", "\"3\"", "1e999", "true", "[1]"})
        EXPECT_EQ(tokens(n), std::nullopt) << n;
    EXPECT_EQ(read(R"({"usage":{"input_tokens":1}})").input_tokens, std::nullopt);
    EXPECT_EQ(read(R"({"response":[{"usage":{"input_tokens":1}}]})").input_tokens, std::nullopt);
    EXPECT_EQ(read(R"({"response":{"created_at":1782184824.0}})").created_at_s, 1782184824.0);
}

TEST(RowRules, OnlyRfc8259IsJson) {
    for (const char* good :
         {"{}", " {} ", "\t{\r}\t\r", R"({"a":-0,"b":0.0,"c":1E+2,"d":1e-2,"e":-10.25e10})",
          R"({"":""})", R"({"a":"\ud800"})", R"({"a":"\u0000"})", "{\"a\":\"\x7f\"}", R"({"a":[]})",
          R"({"a":[{},[],"",0,true,false,null]})"})
        EXPECT_EQ(why(good), reject::none) << good;
    for (const char* bad : {"{",
                            "}",
                            "{]",
                            "[}",
                            "{}{}",
                            "{},",
                            "{} x",
                            "{,}",
                            R"({"a"})",
                            R"({"a":})",
                            R"({"a":1,})",
                            R"({a:1})",
                            R"({'a':1})",
                            R"({"a":1 "b":2})",
                            R"({"a" 1})",
                            R"({"a"::1})",
                            R"({1:2})",
                            R"({"a":01})",
                            R"({"a":-})",
                            R"({"a":+1})",
                            R"({"a":.5})",
                            R"({"a":1.})",
                            R"({"a":1e})",
                            R"({"a":1e+})",
                            R"({"a":0x1})",
                            R"({"a":1.e5})",
                            R"({"a":--1})",
                            R"({"a":1_0})",
                            R"({"a":NaN})",
                            R"({"a":Infinity})",
                            R"({"a":-Infinity})",
                            R"({"a":nan})",
                            R"({"a":tru})",
                            R"({"a":truex})",
                            R"({"a":true"b"})",
                            R"({"a":nul})",
                            R"({"a":False})",
                            R"({"a":"\x"})",
                            R"({"a":"\u12"})",
                            R"({"a":"\u12g4"})",
                            R"({"a":"\)",
                            R"({"a":"x)",
                            "{\"a\":\"\t\"}",
                            "{\"a\":\"\x01\"}",
                            R"({"a":[1,]})",
                            R"({"a":[,1]})",
                            R"({"a":[1 2]})",
                            R"({"a":[1}})",
                            "{}// x",
                            "/**/{}",
                            "\f{}",
                            "{}\v",
                            "{\f}",
                            R"({"a":1}\)",
                            R"(\{})",
                            R"({"a"\:1})",
                            R"({"a":"b"c})",
                            R"({"a":"b""c"})",
                            R"({"a":1"b"})",
                            "\xef\xbb\xbf{}",
                            "{\x1a}",
                            "{\x0c}",
                            "{\"a\"\x1a\"b\"}",
                            "{\"a\":1\x0c\"b\":2}",
                            "nope",
                            "<PLACEHOLDER ROW>"})
        EXPECT_EQ(why(bad), reject::not_json) << bad;
    EXPECT_EQ(why(std::string_view("{\0}", 3)), reject::not_json);
    EXPECT_EQ(why(std::string_view("\0", 1)), reject::not_json);
    EXPECT_EQ(why(std::string_view("{\"a\":\"\0\"}", 9)), reject::not_json);
}

TEST(RowRules, OnlyObjectsAreRows) {
    for (const char* line : {"[]", "[{}]", "1", "-0.5", "\"{}\"", "true", "null", " 5 "})
        EXPECT_EQ(why(line), reject::not_an_object) << line;
}

TEST(RowRules, Utf8IsChecked) {
    EXPECT_EQ(why("{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf\"}"),
              reject::none);
    for (const char* bad :
         {"\xff", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
        EXPECT_EQ(why("{\"a\":\"" + std::string(bad) + "\"}"), reject::utf8);
        EXPECT_EQ(why("{\"" + std::string(bad) + "\":0}"), reject::utf8);
        EXPECT_EQ(why("not json " + std::string(bad)), reject::utf8);
    }
}

TEST(RowRules, DepthIsHeldTo1024) {
    const auto arrays = [](int n) {
        return R"({"a":)" + std::string(n, '[') + std::string(n, ']') + R"(,"reward":1})";
    };
    EXPECT_EQ(why(arrays(max_depth - 1)), reject::none);
    EXPECT_EQ(why(arrays(max_depth)), reject::too_deep);
    EXPECT_EQ(why(arrays(100'000)), reject::too_deep);
    std::string objects;
    for (int i = 0; i < max_depth; ++i) objects += R"({"a":)";
    EXPECT_EQ(why(objects + "1" + std::string(max_depth, '}')), reject::none);
    EXPECT_EQ(why(R"({"a":)" + objects + "1" + std::string(max_depth + 1, '}')), reject::too_deep);
    EXPECT_EQ(why(std::string(max_depth + 1, '[') + std::string(max_depth + 1, ']')),
              reject::too_deep);
    EXPECT_EQ(why(std::string(max_depth, '[') + std::string(max_depth, ']')),
              reject::not_an_object);
    // What is wrong before the depth is reached decides.
    EXPECT_EQ(why(R"({"a":x,"b":)" + std::string(2000, '[')), reject::not_json);
    EXPECT_EQ(
        why(R"({"response":{"usage":)" + std::string(1023, '[') + std::string(1023, ']') + "}}"),
        reject::too_deep);
    EXPECT_EQ(
        why(R"({"response":{"usage":)" + std::string(1022, '[') + std::string(1022, ']') + "}}"),
        reject::none);
}

TEST(RowRules, ThreeReadersAgreeOnMutatedRows) {
    row_mutator rows(20261130);
    int good = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string line = rows.next();
        if (is_blank(line)) continue;
        good += read(line).why == reject::none;
        ASSERT_FALSE(HasFailure()) << line;
    }
    EXPECT_GT(good, 4'000);
    EXPECT_LT(good, 16'000);
}

}  // namespace
}  // namespace gym::telemetry::rollout
