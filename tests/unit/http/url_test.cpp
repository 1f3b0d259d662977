// SPDX-License-Identifier: Apache-2.0
#include "http/url.hpp"

namespace gym::telemetry::http {
namespace {

TEST(Origin, IsSchemeNameAndPort) {
    EXPECT_EQ(origin_of("http://a"), "http://a:80");
    EXPECT_EQ(origin_of("http://a:80/x?y#z"), "http://a:80");
    EXPECT_EQ(origin_of("HTTP://A.Example:8000?q=1"), "http://a.example:8000");
    EXPECT_EQ(origin_of("https://a/"), "https://a:443");
    EXPECT_EQ(origin_of("https://user:p@ss@a:8443/@b"), "https://a:8443");
    EXPECT_EQ(origin_of("http://[::1]/"), "http://[::1]:80");
    EXPECT_EQ(origin_of("http://[::1]:8000/"), "http://[::1]:8000");
    EXPECT_EQ(origin_of("http://a:/x"), "http://a:80");
}

TEST(Origin, NothingElseHasOne) {
    for (const char* url : {"", "a", "/a", "ftp://a/", "http:/a", "http://", "http:///x",
                            "http://:80/", "file:///etc/passwd", "https://user@/"})
        EXPECT_EQ(origin_of(url), std::nullopt) << url;
}

TEST(Redirect, LeadsWhereTheLocationSays) {
    const std::string from = "http://a:8000/v1/x?q=1";
    EXPECT_EQ(resolve_redirect(from, "/y"), "http://a:8000/y");
    EXPECT_EQ(resolve_redirect(from, "y"), "http://a:8000/v1/y");
    EXPECT_EQ(resolve_redirect(from, "?z"), "http://a:8000/v1/x?z");
    EXPECT_EQ(resolve_redirect(from, "//b/y"), "http://b/y");
    EXPECT_EQ(resolve_redirect(from, "https://b/y"), "https://b/y");
    EXPECT_EQ(resolve_redirect(from, "/with space"), "http://a:8000/with%20space");
}

TEST(Redirect, NeverLeavesHttp) {
    for (const char* location : {"file:///etc/passwd", "ftp://a/", "gopher://a/", "javascript:1"}) {
        const auto target = resolve_redirect("http://a/", location);
        EXPECT_TRUE(!target || target->starts_with("http://a/")) << location;
    }
}

}  // namespace
}  // namespace gym::telemetry::http
