// SPDX-License-Identifier: Apache-2.0
#include "base/url.hpp"

#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

TEST(Url, UsableOnesHaveASchemeAndAHost) {
    for (const char* url :
         {"http://localhost", "http://localhost:4318", "https://host/path?x=1", "HTTPS://Host",
          "http://[::1]:4318/v1", "http://[::1]", "http://user:p@ss@host:80/", "http://h:65535",
          "http://1.2.3.4:", "http://host?x"}) {
        EXPECT_TRUE(is_usable_http_url(url)) << url;
    }
}

TEST(Url, UnusableOnesAreFound) {
    for (const char* url : {"",
                            "http://",
                            "https:///path",
                            "localhost:4318",
                            "ftp://host",
                            "http:/host",
                            "http//host",
                            "http://:4318",
                            "http://host:0",
                            "http://host:65536",
                            "http://host:43x",
                            "http://ho st",
                            "http://host\n",
                            "http://[::1",
                            "http://[]:1",
                            "http://[::1]x",
                            "http://user@",
                            "http://a:b:c",
                            "://host",
                            "http://host:-1"}) {
        EXPECT_FALSE(is_usable_http_url(url)) << url;
    }
}

TEST(Url, AGrpcTargetNeedsNoScheme) {
    EXPECT_TRUE(is_usable_grpc_target("localhost:4317"));
    EXPECT_TRUE(is_usable_grpc_target("http://localhost:4317"));
    EXPECT_FALSE(is_usable_grpc_target(""));
    EXPECT_FALSE(is_usable_grpc_target(":4317"));
    EXPECT_FALSE(is_usable_grpc_target("http://"));
}

TEST(Url, JoinsWithOneSlash) {
    EXPECT_EQ(join_url("http://h:1", "v1/metrics"), "http://h:1/v1/metrics");
    EXPECT_EQ(join_url("http://h:1/", "v1/metrics"), "http://h:1/v1/metrics");
    EXPECT_EQ(join_url("http://h/base//", "v1/traces"), "http://h/base/v1/traces");
}

TEST(Url, CredentialsAreNotShown) {
    EXPECT_EQ(without_credentials("http://user:p@ss@host:80/a@b"), "http://***@host:80/a@b");
    EXPECT_EQ(without_credentials("http://host/a@b"), "http://host/a@b");
    EXPECT_EQ(without_credentials("user:pw@host"), "***@host");
    EXPECT_EQ(without_credentials("http://"), "http://");
}

}  // namespace
}  // namespace gym::telemetry::detail
