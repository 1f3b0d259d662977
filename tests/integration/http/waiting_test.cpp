// SPDX-License-Identifier: Apache-2.0
//
// Timeouts, cancellation and retries in every state that a request can be in, and what the numbers
// that are recorded about it measure.
#include "loop_fixture.hpp"

#include <chrono>

namespace gym::telemetry::http {
namespace {

using clock = std::chrono::steady_clock;

double ms_since(clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

server_reply fine(const server_request&) {
    return {.headers = "", .body = "fine"};
}

server_reply busy(const server_request&) {
    return {.status = 503, .headers = "", .body = "busy"};
}

server_reply stuck(const server_request&) {
    return {.headers = "", .body = "", .delay_ms = 1'000'000};
}

class HttpWaiting : public HttpLoop {
protected:
    static request to(const std::string& url) {
        request what;
        what.url = url;
        what.server_name = "model";
        return what;
    }
    // The numbers of the lines that begin and end like this.
    std::vector<double> numbers(const std::string& first, const std::string& last) const {
        std::vector<double> found;
        for (const std::string& line : sink.lines)
            if (line.starts_with(first) && line.ends_with(last))
                found.push_back(std::stod(line.substr(first.size())));
        return found;
    }
};

TEST_F(HttpWaiting, TimeoutOfEverythingEndsAWaitInTheQueue) {
    http_server server(&stuck);
    make({.total = 1, .per_host = 0});
    pending& first = send(server.url());
    request what = to(server.url());
    what.timeout_ms = 20;
    pending& second = send(what);
    until([&] { return second.over; });
    EXPECT_EQ(second.answer.error, http_error::timed_out);
    EXPECT_EQ(second.answer.attempts, 0);
    EXPECT_FALSE(first.over);
    EXPECT_EQ(lines("queued", "total abandoned model"), 1);
    EXPECT_GE(numbers("queued", "abandoned model").at(0), 19.9);
}

TEST_F(HttpWaiting, AcquireTimeoutDoesNotCoverTheAnswer) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "late", .delay_ms = 120};
    });
    make({});
    request what = to(server.url());
    what.acquire_timeout_ms = 40;
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.body, "late") << error_name(each.answer.error);
}

TEST_F(HttpWaiting, PauseBeforeARetryHoldsNoSlotAndTakesItsTime) {
    http_server server(&busy), other(&fine);
    make({.total = 1, .per_host = 1});
    request what = to(server.url());
    what.retry = {.retries = 1, .first_ms = 200, .max_ms = 200};
    const auto begin = clock::now();
    pending& first = send(what);
    until([&] { return server.requests() == 1; });
    pending& next = send(other.url());
    until([&] { return next.over; });
    EXPECT_FALSE(first.over) << "the pause is not over, and the only slot was free meanwhile";
    until_all_are_over();
    EXPECT_GE(ms_since(begin), 100) << "drawn from the upper half of 200 ms";
    EXPECT_EQ(first.answer.attempts, 2);
    EXPECT_EQ(first.answer.status, 503);
}

TEST_F(HttpWaiting, RetryAfterIsWaitedFor) {
    int calls = 0;
    http_server server([&](const server_request&) -> server_reply {
        if (++calls > 1) return {.headers = "", .body = "fine"};
        return {.status = 429, .headers = "Retry-After: 1\r\n", .body = ""};
    });
    make({});
    request what = to(server.url());
    what.retry = {.retries = 1, .first_ms = 1, .max_ms = 2000};
    const auto begin = clock::now();
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.status, 200);
    EXPECT_GE(ms_since(begin), 1000);
}

TEST_F(HttpWaiting, CancelledDuringThePauseBeforeARetry) {
    http_server server(&busy);
    make({});
    request what = to(server.url());
    what.retry = {.retries = 1, .first_ms = 1'000'000, .max_ms = 1'000'000};
    pending& each = send(what);
    until([&] { return server.requests() == 1; });
    for (int i = 0; i < 4; ++i) loop->drive(5);
    ASSERT_FALSE(each.over);
    loop->cancel(each.id);
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::cancelled);
    EXPECT_EQ(each.answer.attempts, 1);
    EXPECT_EQ(lines("asked", "model"), 1);
}

TEST_F(HttpWaiting, TimeoutOfEverythingEndsThePauseBeforeARetry) {
    http_server server(&busy);
    make({});
    request what = to(server.url());
    what.retry = {.retries = 1, .first_ms = 1'000'000, .max_ms = 1'000'000};
    what.timeout_ms = 60;
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::timed_out);
}

TEST_F(HttpWaiting, RefusedConnectionsAreRetriedWhateverTheMethod) {
    int port = 0;
    {
        port = http_server(&fine).port();
    }
    make({});
    request what = to("http://127.0.0.1:" + std::to_string(port) + "/");
    what.method = "POST";
    what.body = "x";
    what.retry = {.retries = 2, .first_ms = 1, .max_ms = 1};
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.error, http_error::connect);
    EXPECT_EQ(each.answer.attempts, 3);
    EXPECT_EQ(lines("asked", "model"), 3);
    EXPECT_EQ(lines("connected", "failed model"), 3);
}

TEST_F(HttpWaiting, QueueTimeIsNotInConnectTime) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 150};
    });
    http_server other(&fine);
    make({.total = 1, .per_host = 0});
    const auto begin = clock::now();
    send(server.url());
    send(other.url());
    until_all_are_over();
    const double all = ms_since(begin);
    const std::vector<double> queued = numbers("queued", "total ok model");
    const std::vector<double> connected = numbers("connected", "ok model");
    ASSERT_EQ(queued.size(), 1u);
    ASSERT_EQ(connected.size(), 2u);
    EXPECT_GE(queued[0], 149);
    EXPECT_GT(connected[1], 0);
    EXPECT_LE(queued[0] + connected[1], all);
}

TEST_F(HttpWaiting, ConstraintIsTheOneThatBoundWhenTheWaitBegan) {
    http_server server([](const server_request& r) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = r.path == "/first" ? 100 : 0};
    });
    http_server other(&stuck);
    make({.total = 2, .per_host = 1});
    send(server.url("/first"));
    pending& waiting = send(server.url("/second"));  // per host; the total is not full yet
    pending& elsewhere = send(other.url());          // now it is
    until([&] { return waiting.over; });
    EXPECT_EQ(lines("queued", "per_host ok model"), 1);
    EXPECT_EQ(lines("queued", ""), 1);
    loop->cancel(elsewhere.id);
    until_all_are_over();
}

TEST_F(HttpWaiting, RedirectToAFullHostQueuesThereAndLeavesItsOwn) {
    http_server target([](const server_request&) -> server_reply {
        return {.headers = "", .body = "there", .delay_ms = 60};
    });
    http_server server([&](const server_request& r) -> server_reply {
        if (r.path == "/plain") return {.headers = "", .body = "here"};
        return {.status = 307, .headers = "Location: " + target.url() + "\r\n", .body = ""};
    });
    make({.total = 10, .per_host = 1});
    send(target.url());
    pending& led_on = send(server.url("/led"));
    pending& behind = send(server.url("/plain"));
    until([&] { return behind.over; });
    EXPECT_EQ(behind.answer.body, "here");
    EXPECT_FALSE(led_on.over);
    until_all_are_over();
    EXPECT_EQ(led_on.answer.body, "there");
    EXPECT_EQ(lines("queued", "per_host ok model"), 2) << "the one behind, and the hop";
    EXPECT_EQ(lines("asked", "model"), 4);
    EXPECT_EQ(target.accepted(), 1u);
}

TEST_F(HttpWaiting, TraceparentGoesOutWithEveryAttempt) {
    std::vector<std::string> seen;
    http_server server([&](const server_request& r) -> server_reply {
        seen.push_back(r.header("traceparent"));
        if (seen.size() == 1) return {.status = 503, .headers = "", .body = ""};
        if (seen.size() == 2) return {.status = 302, .headers = "Location: /b\r\n", .body = ""};
        return {.headers = "", .body = ""};
    });
    make({});
    request what = to(server.url());
    what.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    what.retry = {.retries = 1, .first_ms = 1, .max_ms = 1};
    send(what);
    until_all_are_over();
    EXPECT_THAT(seen, ::testing::ElementsAre(what.traceparent, what.traceparent, what.traceparent));
}

}  // namespace
}  // namespace gym::telemetry::http
