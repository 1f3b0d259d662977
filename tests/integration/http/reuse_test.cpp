// SPDX-License-Identifier: Apache-2.0
//
// Which connections are kept and used again, also when there are so many that they are spread over
// several of curl's multi handles.
#include "loop_fixture.hpp"

namespace gym::telemetry::http {
namespace {

server_reply slow(const server_request&) {
    return {.headers = "", .body = "slow", .delay_ms = 20};
}

class HttpReuse : public HttpLoop {
protected:
    // Sends so many at a time and waits for all of them.
    void wave(int count, const std::string& url) {
        for (int i = 0; i < count; ++i) send(url);
        until_all_are_over();
        for (const pending& each : sent) EXPECT_EQ(each.answer.status, 200) << each.answer.message;
        sent.clear();
    }
};

TEST_F(HttpReuse, ManyConnectionsAreAllUsedAgain) {
    http_server server(&slow);
    make({});
    for (int i = 0; i < 3; ++i) wave(300, server.url());
    EXPECT_EQ(server.accepted(), 300u);
    EXPECT_EQ(lines("connected", "ok model"), 300);
    EXPECT_EQ(lines("asked", "model"), 900);
}

TEST_F(HttpReuse, HostsShareTheShardsAndNotTheConnections) {
    http_server server(&slow), other(&slow);
    make({});
    for (int i = 0; i < 2; ++i) {
        for (int n = 0; n < 100; ++n) send(other.url());
        wave(100, server.url());
    }
    EXPECT_EQ(server.accepted(), 100u);
    EXPECT_EQ(other.accepted(), 100u);
}

TEST_F(HttpReuse, ConnectionsThatThePeerClosedArePassedOver) {
    http_server server([](const server_request& r) -> server_reply {
        const auto after = r.path == "/last" ? server_reply::end::close : server_reply::end::keep;
        return {.headers = "", .body = "x", .delay_ms = 20, .after = after};
    });
    make({});
    for (int i = 0; i < 100; ++i) send(server.url(i % 2 == 0 ? "/last" : "/"));
    wave(0, "");
    until([&] { return server.open() == 50; });
    loop->drive(10);  // What the closing made readable is seen.
    wave(50, server.url());
    EXPECT_EQ(server.accepted(), 100u) << "the fifty that are left serve fifty requests";
}

TEST_F(HttpReuse, AnswerThatClosesItsConnectionIsNotWaitedFor) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "Connection: close\r\n", .body = "x", .after = server_reply::end::close};
    });
    make({});
    for (int i = 0; i < 3; ++i) wave(1, server.url());
    EXPECT_EQ(server.accepted(), 3u);
    EXPECT_EQ(lines("connected", "ok model"), 3);
}

TEST_F(HttpReuse, OnlyIdleConnectionsCountForTheirLimit) {
    http_server server(&slow);
    make({.total = 5, .per_host = 0}, {.idle_connections_max = 2});
    wave(50, server.url());
    EXPECT_EQ(server.accepted(), 5u) << "those in use are not idle";
    until([&] { return server.open() == 2; });
    wave(2, server.url());
    EXPECT_EQ(server.accepted(), 5u);
}

TEST_F(HttpReuse, IdleLimitHoldsOverAllShards) {
    http_server server(&slow);
    make({}, {.idle_connections_max = 64});
    wave(200, server.url());
    until([&] { return server.open() <= 66; });
    wave(60, server.url());
    EXPECT_EQ(server.accepted(), 200u) << "those that are left are found";
}

TEST_F(HttpReuse, NoIdleConnectionsMeansAConnectEach) {
    http_server server(&slow);
    make({.total = 2, .per_host = 0}, {.idle_connections_max = 0});
    wave(6, server.url());
    EXPECT_EQ(server.accepted(), 6u);
    until([&] { return server.open() == 0; });
}

}  // namespace
}  // namespace gym::telemetry::http
