// SPDX-License-Identifier: Apache-2.0
#include "http2_server.hpp"
#include "loop_fixture.hpp"

namespace gym::telemetry::http {
namespace {

using gym::telemetry::testing::http2_server;

TEST_F(HttpLoop, StreamThatWaitsForAConnectionHasNotFailedToOpenOne) {
    http2_server server(2);  // holds a second stream back, so none is quicker than the cancel
    client_options options;
    options.version = http_version::http_2;
    make({.total = 0, .per_host = 0}, options);
    pending& first = send(server.url());
    pending& second = send(server.url());
    loop->drive(0);
    loop->cancel(second.id);
    until_all_are_over();
    EXPECT_EQ(first.answer.status, 200);
    EXPECT_EQ(second.answer.error, http_error::cancelled);
    EXPECT_EQ(lines("connected", "ok model"), 1);
    EXPECT_EQ(lines("connected", ""), 1);
    loop.reset();
}

class HttpLoopOfStreams : public HttpLoop {
protected:
    void TearDown() override { loop.reset(); }  // the server waits for its clients to go

    // A loop whose connection to the server is open and known to take streams.
    void open_to(const http2_server& server, slot_limits limits) {
        client_options options;
        options.version = http_version::http_2;
        make(limits, options);
        pending& first = send(server.url());
        until([&] { return first.over; });
        ASSERT_EQ(first.answer.status, 200) << first.answer.message;
    }
};

TEST_F(HttpLoopOfStreams, StreamsShareOneConnection) {
    http2_server server(5);
    open_to(server, {.total = 0, .per_host = 0});
    for (int i = 0; i < 5; ++i) send(server.url());
    until_all_are_over();
    for (const pending& each : sent) {
        EXPECT_EQ(each.answer.status, 200) << each.answer.message;
        EXPECT_EQ(each.answer.body, "two");
    }
    EXPECT_EQ(server.accepted(), 1);
    EXPECT_EQ(lines("asked", "model"), 6);
    EXPECT_EQ(lines("connected", "ok model"), 1) << "a stream on an open connection opens none";
    EXPECT_EQ(lines("connected", ""), 1);
    EXPECT_EQ(lines("queued", ""), 0);
    loop.reset();
}

TEST_F(HttpLoopOfStreams, StreamHoldsASlot) {
    http2_server server(2);
    open_to(server, {.total = 0, .per_host = 2});
    for (int i = 0; i < 6; ++i) send(server.url());
    until_all_are_over();
    EXPECT_EQ(server.accepted(), 1);
    EXPECT_EQ(server.requests(), 7);
    EXPECT_EQ(lines("queued", "per_host ok model"), 4);
    EXPECT_EQ(lines("connected", ""), 1);
    loop.reset();
}

TEST_F(HttpLoopOfStreams, CancelledStreamLeavesTheConnectionToTheOthers) {
    http2_server server(3);
    open_to(server, {.total = 0, .per_host = 0});
    pending& first = send(server.url());
    pending& second = send(server.url());
    until([&] { return server.requests() == 3; });
    loop->cancel(first.id);
    until([&] { return first.over; });
    send(server.url());
    until_all_are_over();
    EXPECT_EQ(first.answer.error, http_error::cancelled);
    EXPECT_EQ(second.answer.status, 200);
    EXPECT_EQ(server.accepted(), 1);
    EXPECT_EQ(lines("connected", ""), 1);
    loop.reset();
}

}  // namespace
}  // namespace gym::telemetry::http
