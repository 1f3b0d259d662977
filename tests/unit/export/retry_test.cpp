// SPDX-License-Identifier: Apache-2.0
#include "export/retry.hpp"

#include "complaints.hpp"
#include "export/request_headers.hpp"

#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using std::chrono::seconds;

TEST(RetryAfter, ReadsSeconds) {
    EXPECT_EQ(parse_retry_after("0", 0), seconds(0));
    EXPECT_EQ(parse_retry_after(" 120 ", 0), seconds(120));
    EXPECT_EQ(parse_retry_after("86400", 0), seconds(86400));
    EXPECT_GT(*parse_retry_after("99999999999999999999999999", 0), seconds(86400 * 365));
}

TEST(RetryAfter, ReadsTheThreeFormsOfADate) {
    constexpr std::int64_t at = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
    for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"}) {
        EXPECT_EQ(parse_retry_after(text, at - 10), seconds(10)) << text;
        EXPECT_EQ(parse_retry_after(text, at + 10), seconds(0)) << text;
    }
    EXPECT_EQ(parse_retry_after("Thu, 29 Feb 2024 00:00:00 GMT", 1709164800 - 5), seconds(5));
}

TEST(RetryAfter, IgnoresNonsense) {
    for (const char* text :
         {"", " ", "soon", "-5", "+5", "1.5", "1e3", "0x10", "5 seconds",
          "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
          "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
          "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 anF 1994 08:49:37 GMT", "Sun, 06 Nov 1994",
          "2024-02-29T00:00:00Z", "Sun, 06 Nov 99999 08:49:37 GMT", "a b c d e f g h"})
        EXPECT_FALSE(parse_retry_after(text, 0)) << text;
}

TEST(Backoff, DoublesUpToItsLimitWithJitter) {
    backoff pauses(7);
    int base = backoff::first_ms;
    for (int i = 0; i < 20; ++i) {
        const auto pause = pauses.next().count();
        EXPECT_GE(pause, base / 2);
        EXPECT_LE(pause, base);
        base = std::min(base * 2, backoff::last_ms);
    }
}

TEST(RequestHeaders, AreDecoded) {
    const test::complaints complaints;
    using headers = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(
        parse_request_headers("Authorization=Basic%20abc%3D%3d, x-b = c=d ,x-empty=,,x-p=100%"),
        (headers{
            {"Authorization", "Basic abc=="}, {"x-b", "c=d"}, {"x-empty", ""}, {"x-p", "100%"}}));
    EXPECT_EQ(parse_request_headers(""), headers{});
    EXPECT_TRUE(complaints.all().empty());
}

TEST(RequestHeaders, ThatCannotBeSentAreNamedByTheirNumberWithoutTheirValue) {
    const test::complaints complaints;
    using headers = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(parse_request_headers("secret1,bad name=secret2,x=a%0d%0aInjected: "
                                    "secret3,content-type=secret4,good=1,=secret5"),
              (headers{{"good", "1"}}));
    EXPECT_EQ(complaints.all().size(), 5u);
    EXPECT_FALSE(complaints.mentions({"secret"}));
    EXPECT_TRUE(complaints.mentions({"entry 2"}));
}

}  // namespace
}  // namespace gym::telemetry::detail
