// SPDX-License-Identifier: Apache-2.0
#include "loop_fixture.hpp"
#include "tls_server.hpp"

namespace gym::telemetry::http {
namespace {

using gym::telemetry::testing::tls_server;
using ::testing::Ge;
using ::testing::Le;

class HttpTls : public HttpLoop {
protected:
    void SetUp() override {
        ASSERT_TRUE(server.ready()) << "openssl and python3 are needed";
        options.tls.ca_file = server.certificate();
    }
    tls_server server{GYM_TELEMETRY_SOURCE_DIR};
    client_options options;
};

TEST_F(HttpTls, HandshakeIsPartOfTheConnect) {
    make({}, options);
    pending& each = send(server.url());
    until_all_are_over();
    EXPECT_EQ(each.answer.status, 200) << each.answer.message;
    EXPECT_EQ(each.answer.body, "fine 1");
    EXPECT_EQ(lines("connected", "ok model"), 1);
    EXPECT_EQ(lines("connected", ""), 1);
}

TEST_F(HttpTls, ConnectionsAreKeptAndUsedAgain) {
    constexpr int at_once = 70;  // on more than one of curl's multi handles
    make({}, options);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < at_once; ++i) send(server.url());
        until_all_are_over();
    }
    for (const pending& each : sent) {
        EXPECT_EQ(each.answer.status, 200) << each.answer.message;
        EXPECT_LE(std::atoi(each.answer.body.c_str() + 5), at_once) << each.answer.body;
    }
    EXPECT_EQ(lines("connected", "ok model"), at_once);
    EXPECT_EQ(lines("connected", ""), at_once);
    EXPECT_EQ(lines("asked", "model"), 3 * at_once);
}

TEST_F(HttpTls, VersionThatIsNegotiatedFallsBackToHttp1) {
    options.version = http_version::http_2_tls;
    make({.total = 2, .per_host = 0}, options);
    for (int i = 0; i < 4; ++i) send(server.url());
    until_all_are_over();
    for (const pending& each : sent) EXPECT_EQ(each.answer.status, 200) << each.answer.message;
    // The second waits for the first one's connection, and may find it free again by then.
    EXPECT_THAT(lines("connected", "ok model"), ::testing::AllOf(Ge(1), Le(2)));
    EXPECT_EQ(lines("connected", "failed model"), 0);
    EXPECT_EQ(lines("queued", "total ok model"), 2);
}

TEST_F(HttpTls, CertificateThatNobodyVouchesForIsAFailedConnect) {
    make({.total = 1, .per_host = 0});
    pending& each = send(server.url());
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::tls) << each.answer.message;
    EXPECT_EQ(lines("connected", "failed model"), 1);
    EXPECT_EQ(lines("connected", ""), 1);
}

TEST_F(HttpTls, UnverifiedOnRequest) {
    options = {};
    options.tls.verify = false;
    make({}, options);
    pending& each = send(server.url());
    until_all_are_over();
    EXPECT_EQ(each.answer.status, 200) << each.answer.message;
}

}  // namespace
}  // namespace gym::telemetry::http
