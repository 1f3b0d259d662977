// SPDX-License-Identifier: Apache-2.0
#include "http/retry.hpp"

namespace gym::telemetry::http {
namespace {

TEST(Retry, OnlyWhatMayEndBetterIsTriedAgain) {
    request get;
    get.retry.retries = 2;
    for (const int status : {429, 502, 503, 504})
        EXPECT_TRUE(may_retry(get, 0, http_error::none, status, true)) << status;
    for (const int status : {200, 301, 400, 401, 404, 500, 501})
        EXPECT_FALSE(may_retry(get, 0, http_error::none, status, true)) << status;
    for (const http_error error :
         {http_error::resolve, http_error::connect, http_error::reset, http_error::timed_out})
        EXPECT_TRUE(may_retry(get, 1, error, 0, false)) << error_name(error);
    for (const http_error error : {http_error::invalid_request, http_error::tls, http_error::body,
                                   http_error::cancelled, http_error::too_many_redirects})
        EXPECT_FALSE(may_retry(get, 0, error, 0, false)) << error_name(error);
    EXPECT_FALSE(may_retry(get, 2, http_error::reset, 0, true)) << "none is left";
}

TEST(Retry, MethodsThatAreNotIdempotentOnlyWhenNothingArrived) {
    request post;
    post.method = "POST";
    post.retry.retries = 1;
    EXPECT_TRUE(may_retry(post, 0, http_error::connect, 0, false));
    EXPECT_FALSE(may_retry(post, 0, http_error::reset, 0, true));
    EXPECT_FALSE(may_retry(post, 0, http_error::none, 503, true));
    post.retry.any_method = true;
    EXPECT_TRUE(may_retry(post, 0, http_error::reset, 0, true));
    EXPECT_TRUE(may_retry(post, 0, http_error::none, 503, true));
}

TEST(Retry, PausesDoubleWithinTheirBounds) {
    const retry_policy policy{.retries = 9, .first_ms = 100, .max_ms = 1000};
    EXPECT_EQ(backoff_ms(policy, 1, 0, {}), 50);
    EXPECT_EQ(backoff_ms(policy, 1, 0.9999, {}), 99);
    EXPECT_EQ(backoff_ms(policy, 3, 0, {}), 200);
    EXPECT_EQ(backoff_ms(policy, 9, 0, {}), 500);
    EXPECT_EQ(backoff_ms(policy, 1000000, 0.9999, {}), 999);
    EXPECT_EQ(backoff_ms({.retries = 1, .first_ms = -5, .max_ms = -7}, 1, 0.5, {}), 0);
}

TEST(Retry, ServerMayAskForLonger) {
    const retry_policy policy{.retries = 9, .first_ms = 100, .max_ms = 5000};
    EXPECT_EQ(backoff_ms(policy, 1, 0, 2), 2000);
    EXPECT_EQ(backoff_ms(policy, 1, 0, 0), 50);
    EXPECT_EQ(backoff_ms(policy, 1, 0, 3600), 5000);
    EXPECT_EQ(backoff_ms(policy, 1, 0, INT64_MAX), 5000);
}

TEST(Retry, RetryAfterIsAWholeNumber) {
    EXPECT_EQ(parse_retry_after("0"), 0);
    EXPECT_EQ(parse_retry_after("120"), 120);
    for (const char* text :
         {"", "-1", "1.5", "1s", "Wed, 21 Oct 2015 07:28:00 GMT", "99999999999999999999"})
        EXPECT_EQ(parse_retry_after(text), std::nullopt) << text;
}

TEST(Retry, RedirectsChangeTheMethodAsBrowsersDo) {
    EXPECT_EQ(redirected_method(301, "POST"), "GET");
    EXPECT_EQ(redirected_method(302, "POST"), "GET");
    EXPECT_EQ(redirected_method(303, "PUT"), "GET");
    EXPECT_EQ(redirected_method(303, "HEAD"), "HEAD");
    EXPECT_EQ(redirected_method(307, "POST"), "POST");
    EXPECT_EQ(redirected_method(308, "PUT"), "PUT");
    EXPECT_EQ(redirected_method(302, "PUT"), "PUT");
}

}  // namespace
}  // namespace gym::telemetry::http
