// SPDX-License-Identifier: Apache-2.0
//
// The HTTP client over TLS with the version negotiated (ALPN), against a server that speaks HTTP/2
// alone: gRPC's, which is called as its own clients do.
#include "../http/loop_fixture.hpp"
#include "grpc_receiver.hpp"
#include "made_certificate.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::http {
namespace {

using test::grpc_receiver;

std::string content(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
}

class GrpcHttp2Tls : public HttpLoop {
protected:
    void SetUp() override {
        ASSERT_TRUE(made.is_there()) << "openssl is needed";
        grpc::SslServerCredentialsOptions with(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
        with.pem_key_cert_pairs.push_back({content(made.key()), content(made.certificate())});
        server = std::make_unique<grpc_receiver>(grpc::SslServerCredentials(with));
        options.tls.ca_file = made.certificate();
        options.version = http_version::http_2_tls;
    }
    void TearDown() override { loop.reset(); }

    // An export of nothing: a message without compression, of no bytes.
    pending& call() {
        request what;
        what.method = "POST";
        what.url = "https://" + server->address() +
                   "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
        what.headers = {{"Content-Type", "application/grpc"}, {"TE", "trailers"}};
        what.body = std::string(5, '\0');
        what.server_name = "model";
        return send(std::move(what));
    }

    test::made_certificate made;
    std::unique_ptr<grpc_receiver> server;
    client_options options;
};

TEST_F(GrpcHttp2Tls, StreamsOfANegotiatedConnectionShareIt) {
    constexpr int at_once = 8;
    make({.total = 0, .per_host = 0}, options);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < at_once; ++i) call();
        until_all_are_over();
    }
    for (const pending& each : sent) {
        EXPECT_EQ(each.answer.status, 200) << each.answer.message;
        EXPECT_EQ(each.answer.header_value("content-type"), "application/grpc");
        EXPECT_EQ(each.answer.body, std::string(5, '\0'));
    }
    EXPECT_EQ(server->metrics().size(), 2u * at_once);
    EXPECT_EQ(lines("asked", "model"), 2 * at_once);
    EXPECT_EQ(lines("connected", "ok model"), 1) << "a stream on an open connection opens none";
    EXPECT_EQ(lines("connected", ""), 1);
}

// The control: this server takes nothing but HTTP/2.
TEST_F(GrpcHttp2Tls, Http1IsNotAnswered) {
    options.version = http_version::http_1_1;
    make({.total = 1, .per_host = 0}, options);
    call();
    until_all_are_over();
    EXPECT_NE(sent.front().answer.error, http_error::none);
    EXPECT_TRUE(server->metrics().empty());
}

TEST_F(GrpcHttp2Tls, AStrangerIsAFailedConnect) {
    options.tls.ca_file = "";
    make({.total = 1, .per_host = 0}, options);
    call();
    until_all_are_over();
    EXPECT_EQ(sent.front().answer.error, http_error::tls);
    EXPECT_EQ(lines("connected", "failed model"), 1);
    EXPECT_TRUE(server->metrics().empty());
}

}  // namespace
}  // namespace gym::telemetry::http
