// SPDX-License-Identifier: Apache-2.0
//
// The pool's rules over real sockets: who waits for what, and what is recorded about it.
#include "loop_fixture.hpp"

#include <gym/telemetry/http/destination.hpp>

#include <array>

namespace gym::telemetry::http {
namespace {

server_reply fine(const server_request&) {
    return {.headers = "", .body = "fine"};
}

server_reply slow(const server_request&) {
    return {.headers = "", .body = "slow", .delay_ms = 30};
}

TEST_F(HttpLoop, ConnectionIsKeptAndUsedAgain) {
    http_server server(&fine);
    make({});
    for (int i = 0; i < 5; ++i) {
        pending& each = send(server.url());
        until([&] { return each.over; });
        EXPECT_EQ(each.answer.status, 200);
        EXPECT_EQ(each.answer.body, "fine");
        EXPECT_EQ(each.answer.connects, i == 0 ? 1 : 0);
    }
    EXPECT_EQ(server.accepted(), 1u);
    EXPECT_EQ(lines("asked", "model"), 5);
    EXPECT_EQ(lines("connected", "ok model"), 1) << "reuse records nothing";
    EXPECT_EQ(lines("queued", ""), 0) << "nobody waited";
}

TEST_F(HttpLoop, SaturatedByHost) {
    http_server server(&slow), other(&fine);
    make({.total = 10, .per_host = 1});
    for (int i = 0; i < 3; ++i) send(server.url());
    pending& elsewhere = send(other.url());
    until([&] { return elsewhere.over; });
    EXPECT_FALSE(sent[1].over) << "another host's room is not ours";
    until_all_are_over();
    EXPECT_EQ(server.accepted(), 1u);
    EXPECT_EQ(lines("queued", "per_host ok model"), 2);
    EXPECT_EQ(lines("queued", ""), 2);
    EXPECT_EQ(lines("connected", "ok model"), 2);
}

TEST_F(HttpLoop, SaturatedInTotal) {
    http_server server(&slow), other(&fine);
    make({.total = 2, .per_host = 2});
    send(server.url());
    send(server.url());
    send(other.url());
    send(server.url());
    until_all_are_over();
    EXPECT_EQ(lines("queued", "total ok model"), 2);
    EXPECT_EQ(lines("queued", ""), 2);
}

TEST_F(HttpLoop, WaitersAreServedInTheirOrder) {
    http_server server(
        [](const server_request& r) -> server_reply { return {.headers = "", .body = r.path}; });
    make({.total = 1, .per_host = 0});
    std::vector<int> order;
    for (int i = 0; i < 20; ++i) {
        send(server.url("/" + std::to_string(i))).then = [&order, i] { order.push_back(i); };
    }
    until_all_are_over();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
        EXPECT_EQ(sent[static_cast<std::size_t>(i)].answer.body, "/" + std::to_string(i));
    }
    EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(HttpLoop, CancelledWhileQueued) {
    http_server server(&slow);
    make({.total = 1, .per_host = 1});
    send(server.url());
    pending& second = send(server.url());
    send(server.url());
    loop->drive(0);
    loop->cancel(second.id);
    until([&] { return second.over; });
    EXPECT_EQ(second.answer.error, http_error::cancelled);
    EXPECT_EQ(second.answer.attempts, 0);
    EXPECT_FALSE(sent[0].over);
    until_all_are_over();
    EXPECT_EQ(lines("queued", "total abandoned model"), 1);
    EXPECT_EQ(lines("queued", "total ok model"), 1);
    EXPECT_EQ(server.requests(), 2u);
}

TEST_F(HttpLoop, TimedOutWhileQueued) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 100};
    });
    make({.total = 1, .per_host = 1});
    send(server.url());
    request hurried;
    hurried.url = server.url();
    hurried.server_name = "hurried";
    hurried.acquire_timeout_ms = 20;
    pending& second = send(hurried);
    until_all_are_over();
    EXPECT_EQ(second.answer.error, http_error::timed_out);
    EXPECT_EQ(lines("queued", "total abandoned hurried"), 1);
    EXPECT_EQ(server.requests(), 1u);
}

TEST_F(HttpLoop, CancelledWhileUnderWayFreesItsSlot) {
    http_server server([](const server_request& r) -> server_reply {
        return {.headers = "", .body = "x", .delay_ms = r.path == "/never" ? 1000000 : 0};
    });
    make({.total = 1, .per_host = 1});
    pending& stuck = send(server.url("/never"));
    pending& next = send(server.url("/now"));
    until([&] { return server.requests() == 1; });
    loop->cancel(stuck.id);
    until_all_are_over();
    EXPECT_EQ(stuck.answer.error, http_error::cancelled);
    EXPECT_EQ(next.answer.status, 200);
    EXPECT_EQ(server.accepted(), 2u) << "the answer might still come, so its connection is lost";
}

// The kernel shakes hands for a few connections that nobody accepts; then it drops what comes.
class full_backlog {
public:
    explicit full_backlog(int port) {
        for (int& fd : fds_) {
            fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            address.sin_port = htons(static_cast<std::uint16_t>(port));
            (void)connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
        }
    }
    ~full_backlog() {
        for (int fd : fds_) close(fd);
    }

private:
    std::array<int, 8> fds_{};
};

TEST_F(HttpLoop, PeerThatNeverAcceptsIsAFailedConnect) {
    http_server server(&fine, false);
    const full_backlog filled(server.port());
    make({.total = 1, .per_host = 1});
    request what;
    what.url = server.url();
    what.server_name = "model";
    what.acquire_timeout_ms = 50;
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::timed_out);
    EXPECT_EQ(each.answer.attempts, 1);
    EXPECT_EQ(lines("connected", "failed model"), 1);
    EXPECT_EQ(lines("connected", ""), 1);
}

TEST_F(HttpLoop, CancelledWhileConnectingServesTheNext) {
    http_server silent(&fine, false), server(&fine);
    const full_backlog filled(silent.port());
    make({.total = 1, .per_host = 1});
    pending& stuck = send(silent.url());
    pending& next = send(server.url());
    loop->drive(0);
    loop->cancel(stuck.id);
    until_all_are_over();
    EXPECT_EQ(stuck.answer.error, http_error::cancelled);
    EXPECT_EQ(next.answer.status, 200);
    EXPECT_EQ(lines("connected", "failed model"), 1);
    EXPECT_EQ(lines("connected", "ok model"), 1);
    EXPECT_EQ(lines("queued", "total ok model"), 1);
}

TEST_F(HttpLoop, RefusedConnectionFreesItsSlot) {
    int port = 0;
    {
        port = http_server(&fine).port();
    }
    http_server server(&fine);
    make({.total = 1, .per_host = 1});
    pending& refused = send("http://127.0.0.1:" + std::to_string(port) + "/");
    pending& next = send(server.url());
    until_all_are_over();
    EXPECT_EQ(refused.answer.error, http_error::connect);
    EXPECT_EQ(next.answer.status, 200);
    EXPECT_EQ(lines("connected", "failed model"), 1);
}

TEST_F(HttpLoop, UnknownHostIsAFailedConnect) {
    make({});
    pending& each = send("http://nobody.invalid/");
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::resolve);
    EXPECT_EQ(lines("connected", "failed model"), 1);
}

TEST_F(HttpLoop, PeerThatResetsIsNoFailedConnect) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .after = server_reply::end::reset, .silent = true};
    });
    make({.total = 1, .per_host = 0});
    pending& each = send(server.url());
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::reset);
    EXPECT_EQ(lines("connected", "ok model"), 1);
    EXPECT_EQ(lines("connected", "failed model"), 0);
}

TEST_F(HttpLoop, KeepAliveTimeoutOfThePeerCostsAConnect) {
    http_server server(&fine);
    make({});
    for (int i = 0; i < 3; ++i) {
        pending& each = send(server.url());
        until([&] { return each.over; });
        EXPECT_EQ(each.answer.status, 200);
        EXPECT_EQ(each.answer.attempts, 1) << "no retry of ours is spent on it";
        server.drop_idle();
    }
    EXPECT_EQ(server.accepted(), 3u);
    EXPECT_EQ(lines("connected", "ok model"), 3);
}

// curl counts both in whole seconds, so this is the one test that takes its time: it drives both
// loops until the second is over for certain.
TEST_F(HttpLoop, ConnectionThatIsTooOldOrIdleForTooLongIsNotUsedAgain) {
    http_server server(&fine), other(&fine);
    client_options idle, age;
    idle.idle_timeout_s = 1;
    age.connection_age_max_s = 1;
    make({}, age);
    client_loop second(idle, {}, nullptr);
    const auto call = [&](client_loop& through, const std::string& url) {
        pending& each = sent.emplace_back();
        auto t = std::make_unique<transfer>();
        t->what.url = url;
        t->then = &each;
        through.submit(std::move(t));
        until([&] { return second.drive(0), each.over; });
        EXPECT_EQ(each.answer.status, 200);
        return each.answer.connects;
    };
    EXPECT_EQ(call(*loop, server.url()), 1);
    EXPECT_EQ(call(second, other.url()), 1);
    EXPECT_EQ(call(*loop, server.url()), 0);
    EXPECT_EQ(call(second, other.url()), 0);
    const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(2100);
    until([&] { return std::chrono::steady_clock::now() > late; });
    EXPECT_EQ(call(*loop, server.url()), 1) << "too old";
    EXPECT_EQ(call(second, other.url()), 1) << "idle for too long";
}

// The peer reads the request on a kept connection and closes instead of answering, as it does when
// its timeout and our request cross.
TEST_F(HttpLoop, KeptConnectionThatDiesUnderARequestIsOpenedAnew) {
    http_server server([](const server_request& r) -> server_reply {
        if (r.path == "/second" && r.connection == 1)
            return {.headers = "", .body = "", .after = server_reply::end::close, .silent = true};
        return {.headers = "", .body = "x"};
    });
    make({.total = 1, .per_host = 1});
    pending& first = send(server.url("/first"));
    until([&] { return first.over; });
    pending& second = send(server.url("/second"));
    until([&] { return second.over; });
    EXPECT_EQ(second.answer.status, 200);
    EXPECT_EQ(second.answer.connects, 1);
    EXPECT_EQ(server.requests(), 3u);
    EXPECT_EQ(lines("connected", "ok model"), 2);
    EXPECT_EQ(lines("asked", ""), 2) << "it kept its slot, so it asked for none";
}

TEST_F(HttpLoop, EveryHopOfARedirectAsksAnew) {
    http_server server([](const server_request& r) -> server_reply {
        if (r.path == "/a") return {.status = 302, .headers = "Location: /b\r\n", .body = "gone"};
        if (r.path == "/b") return {.status = 307, .headers = "Location: c?x=1\r\n", .body = ""};
        return {.headers = "", .body = r.path};
    });
    make({.total = 1, .per_host = 1});
    pending& first = send(server.url("/a"));
    pending& second = send(server.url("/z"));
    std::vector<std::string> order;
    first.then = [&] { order.push_back("first"); };
    second.then = [&] { order.push_back("second"); };
    until_all_are_over();
    EXPECT_EQ(first.answer.body, "/c?x=1");
    EXPECT_EQ(first.answer.redirects, 2);
    EXPECT_THAT(order, ::testing::ElementsAre("second", "first")) << "a hop queues behind";
    EXPECT_EQ(lines("asked", "model"), 4);
    EXPECT_EQ(lines("queued", "total ok model"), 2);
    EXPECT_EQ(server.accepted(), 1u);
}

TEST_F(HttpLoop, EveryRetryAsksAnew) {
    int calls = 0;
    http_server server([&](const server_request&) -> server_reply {
        ++calls;
        if (calls == 1)
            return {.headers = "", .body = "", .after = server_reply::end::reset, .silent = true};
        if (calls == 2) return {.status = 503, .headers = "Retry-After: 0\r\n", .body = "busy"};
        return {.headers = "", .body = "fine"};
    });
    make({});
    request what;
    what.url = server.url();
    what.server_name = "model";
    what.retry = {.retries = 3, .first_ms = 1, .max_ms = 5};
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.body, "fine");
    EXPECT_EQ(each.answer.attempts, 3);
    EXPECT_EQ(lines("asked", "model"), 3);
    EXPECT_EQ(lines("connected", "ok model"), 2) << "the reset cost a connection, the 503 did not";
}

TEST_F(HttpLoop, WithoutANameItIsExternalWhateverTheScopeSays) {
    http_server server(&fine);
    make({});
    const destination_scope ambient("judge");
    request what;
    what.url = server.url();
    send(what);
    until_all_are_over();
    EXPECT_EQ(lines("asked", "external"), 1);
    EXPECT_EQ(current_destination(), "judge");
}

TEST_F(HttpLoop, WhatIsUnderWayEndsWithTheLoop) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 1000000};
    });
    make({.total = 1, .per_host = 1});
    pending& active = send(server.url());
    pending& queued = send(server.url());
    until([&] { return server.requests() == 1; });
    pending& unseen = send(server.url());
    loop.reset();
    EXPECT_EQ(active.answer.error, http_error::closed);
    EXPECT_EQ(queued.answer.error, http_error::closed);
    EXPECT_EQ(unseen.answer.error, http_error::closed);
    EXPECT_EQ(lines("queued", "total abandoned model"), 1);
}

}  // namespace
}  // namespace gym::telemetry::http
