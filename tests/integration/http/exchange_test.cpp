// SPDX-License-Identifier: Apache-2.0
//
// What goes over the wire: methods, headers, bodies both ways, redirects and retries.
#include "loop_fixture.hpp"

#include <mutex>

namespace gym::telemetry::http {
namespace {

// Keeps what the server saw.
struct seen {
    http_server::handler handler(std::function<server_reply(const server_request&)> answer) {
        return [this, answer](const server_request& r) {
            const std::lock_guard guard(lock);
            requests.push_back(r);
            return answer(r);
        };
    }
    server_request at(std::size_t i) {
        const std::lock_guard guard(lock);
        return requests.at(i);
    }
    std::mutex lock;
    std::vector<server_request> requests;
};

server_reply fine(const server_request&) {
    return {.headers = "X-Two: b\r\n", .body = "fine"};
}

request to(const std::string& url) {
    request what;
    what.url = url;
    return what;
}

TEST_F(HttpLoop, MethodsHeadersAndBodiesArrive) {
    seen saw;
    http_server server(saw.handler(&fine));
    make({.total = 1, .per_host = 0});
    request post = to(server.url("/p"));
    post.method = "POST";
    post.body = std::string("a\0b", 3);
    post.headers = {{"X-One", "1"}, {"X-Empty", ""}};
    post.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    send(post);
    request remove = to(server.url("/d"));
    remove.method = "DELETE";
    send(remove);
    request head = to(server.url("/h"));
    request patch = to(server.url("/q"));
    patch.method = "PATCH";
    patch.body = "{}";
    send(patch);
    send(to(server.url("/g")));
    until_all_are_over();
    EXPECT_EQ(saw.at(0).method, "POST");
    EXPECT_EQ(saw.at(0).body, std::string("a\0b", 3));
    EXPECT_EQ(saw.at(0).header("x-one"), "1");
    EXPECT_EQ(saw.at(0).header("traceparent"), post.traceparent);
    EXPECT_EQ(saw.at(0).header("expect"), "");
    EXPECT_EQ(saw.at(1).method, "DELETE");
    EXPECT_EQ(saw.at(2).method, "PATCH");
    EXPECT_EQ(saw.at(2).body, "{}");
    EXPECT_EQ(saw.at(3).method, "GET") << "a handle that was used before is as good as new";
    EXPECT_EQ(saw.at(3).body, "");
    EXPECT_EQ(saw.at(3).header("x-one"), "");
    EXPECT_EQ(sent[0].answer.header_value("x-two"), "b");
}

TEST_F(HttpLoop, WhatWouldBreakALineIsNotSent) {
    http_server server(&fine);
    make({});
    request injected = to(server.url());
    injected.headers = {{"X-One", "1\r\nX-Two: 2"}};
    request named = to(server.url());
    named.headers = {{"X One", "1"}};
    request traced = to(server.url());
    traced.traceparent = "a\nb: c";
    request method = to(server.url());
    method.method = "GET /";
    for (const request& each : {injected, named, traced, method, to("ftp://a/"), to("http://")})
        send(each);
    until_all_are_over();
    for (const pending& each : sent)
        EXPECT_EQ(each.answer.error, http_error::invalid_request) << each.answer.message;
    EXPECT_EQ(server.requests(), 0u);
    EXPECT_TRUE(sink.lines.empty()) << "the pool was never asked";
}

TEST_F(HttpLoop, CredentialsStayWithTheirOrigin) {
    seen here, there;
    http_server other(there.handler(&fine));
    http_server server(here.handler([&](const server_request&) -> server_reply {
        return {.status = 302, .headers = "Location: " + other.url("/x") + "\r\n", .body = ""};
    }));
    make({});
    request what = to(server.url());
    what.method = "POST";
    what.body = "secret";
    what.headers = {{"Authorization", "Bearer t"}, {"X-Kept", "k"}};
    pending& each = send(what);
    until_all_are_over();
    EXPECT_EQ(each.answer.status, 200);
    EXPECT_EQ(here.at(0).header("authorization"), "Bearer t");
    EXPECT_EQ(there.at(0).header("authorization"), "");
    EXPECT_EQ(there.at(0).header("x-kept"), "k");
    EXPECT_EQ(there.at(0).method, "GET");
    EXPECT_EQ(there.at(0).body, "");
}

TEST_F(HttpLoop, RedirectsEnd) {
    http_server server([](const server_request&) -> server_reply {
        return {.status = 308, .headers = "Location: /again\r\n", .body = ""};
    });
    make({});
    request what = to(server.url());
    what.max_redirects = 3;
    send(what);
    what.max_redirects = 0;
    send(what);
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.error, http_error::too_many_redirects);
    EXPECT_EQ(sent[0].answer.attempts, 4);
    EXPECT_EQ(sent[1].answer.status, 308) << "with 0 the redirect is the answer";
    EXPECT_TRUE(sent[1].answer.answered());
}

TEST_F(HttpLoop, PostIsNotRepeatedOnceItMayHaveArrived) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .after = server_reply::end::reset, .silent = true};
    });
    make({});
    request what = to(server.url());
    what.method = "POST";
    what.retry = {.retries = 2, .first_ms = 1, .max_ms = 1};
    send(what);
    what.retry.any_method = true;
    send(what);
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.attempts, 1);
    EXPECT_EQ(sent[1].answer.attempts, 3);
}

TEST_F(HttpLoop, LastAnswerIsTheAnswerWhenRetriesRunOut) {
    http_server server([](const server_request&) -> server_reply {
        return {.status = 503, .headers = "", .body = "busy"};
    });
    make({});
    request what = to(server.url());
    what.retry = {.retries = 1, .first_ms = 1, .max_ms = 1};
    send(what);
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.status, 503);
    EXPECT_EQ(sent[0].answer.body, "busy");
    EXPECT_EQ(sent[0].answer.attempts, 2);
}

TEST_F(HttpLoop, TimeoutCoversEverything) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 1000000};
    });
    make({});
    request what = to(server.url());
    what.timeout_ms = 30;
    what.retry = {.retries = 5, .first_ms = 1, .max_ms = 1};
    send(what);
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.error, http_error::timed_out);
    EXPECT_EQ(sent[0].answer.attempts, 1);
}

TEST_F(HttpLoop, BodyBeyondTheLimitIsRefused) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = std::string(100'000, 'x')};
    });
    make({}, {.body_size_max = 99'999});
    send(server.url());
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.error, http_error::body);
}

// Hands out `total` bytes, with a pause after each part that only `resume` ends.
class halting_source final : public body_source {
public:
    explicit halting_source(std::size_t total) : left_(total) {}
    std::ptrdiff_t read(std::span<char> into) override {
        if (left_ == 0) return 0;
        if (!std::exchange(open, false)) {
            paused = true;
            return pause;
        }
        const std::size_t part = std::min({left_, into.size(), std::size_t{5000}});
        std::fill_n(into.begin(), part, 'u');
        left_ -= part;
        return static_cast<std::ptrdiff_t>(part);
    }
    bool open = true;
    bool paused = false;

private:
    std::size_t left_;
};

class halting_sink final : public body_sink {
public:
    flow begin(const response& head) override {
        status = head.status;
        return flow::pause;
    }
    flow write(std::string_view bytes) override {
        if (!std::exchange(open, !open)) {
            paused = true;
            return flow::pause;
        }
        got.append(bytes);
        return flow::go_on;
    }
    int status = 0;
    bool open = true;
    bool paused = true;
    std::string got;
};

TEST_F(HttpLoop, BodiesStreamBothWays) {
    seen saw;
    http_server server(saw.handler([](const server_request& r) -> server_reply {
        return {.headers = "", .body = std::string(r.body.size() * 10, 'd'), .chunked = true};
    }));
    make({});
    auto source = std::make_shared<halting_source>(20'000);
    auto sink_of_body = std::make_shared<halting_sink>();
    request what = to(server.url());
    what.method = "POST";
    what.source = source;
    what.sink = sink_of_body;
    pending& each = send(what);
    int resumed = 0;
    until([&] {
        if (std::exchange(source->paused, false)) {
            source->open = true;
            loop->resume(each.id);
            ++resumed;
        } else if (sink_of_body->status != 0 && std::exchange(sink_of_body->paused, false)) {
            loop->resume(each.id);
            ++resumed;
        }
        return each.over;
    });
    EXPECT_EQ(each.answer.status, 200);
    EXPECT_EQ(saw.at(0).header("transfer-encoding"), "chunked");
    EXPECT_EQ(saw.at(0).body.size(), 20'000u);
    EXPECT_EQ(sink_of_body->got.size(), 200'000u);
    EXPECT_TRUE(each.answer.body.empty());
    EXPECT_GT(resumed, 5);
}

TEST_F(HttpLoop, SourceAndSinkThatThrowFailTheirRequestOnly) {
    struct throwing_source final : body_source {
        std::ptrdiff_t read(std::span<char>) override { throw std::runtime_error("no"); }
    };
    struct throwing_sink final : body_sink {
        flow write(std::string_view) override { throw 1; }
    };
    http_server server(&fine);
    make({});
    request up = to(server.url()), down = to(server.url());
    up.method = "PUT";
    up.source = std::make_shared<throwing_source>();
    down.sink = std::make_shared<throwing_sink>();
    send(up);
    send(down);
    send(server.url());
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.error, http_error::body);
    EXPECT_EQ(sent[1].answer.error, http_error::body);
    EXPECT_EQ(sent[2].answer.status, 200);
}

TEST_F(HttpLoop, SinkNeverSeesTheBodyOfAHop) {
    struct keeping_sink final : body_sink {
        flow write(std::string_view bytes) override { return got.append(bytes), flow::go_on; }
        std::string got;
    };
    http_server server([](const server_request& r) -> server_reply {
        if (r.path == "/a") return {.status = 302, .headers = "Location: /b\r\n", .body = "hop"};
        return {.headers = "", .body = "end"};
    });
    make({});
    auto kept = std::make_shared<keeping_sink>();
    request what = to(server.url("/a"));
    what.sink = kept;
    send(what);
    until_all_are_over();
    EXPECT_EQ(kept->got, "end");
}

TEST_F(HttpLoop, CompletionThatThrowsHurtsNobody) {
    http_server server(&fine);
    make({});
    send(server.url()).then = [] { throw std::runtime_error("no"); };
    send(server.url());
    until_all_are_over();
    EXPECT_EQ(sent[1].answer.status, 200);
}

struct text_source final : body_source {
    explicit text_source(bool rewinds) : may_rewind(rewinds) {}
    std::ptrdiff_t read(std::span<char> into) override {
        const std::size_t part = std::min(into.size(), text.size() - at);
        std::copy_n(text.data() + at, part, into.data());
        at += part;
        return static_cast<std::ptrdiff_t>(part);
    }
    std::int64_t size_bytes() const override { return static_cast<std::int64_t>(text.size()); }
    bool can_rewind() const override { return may_rewind; }
    bool rewind() override { return at = 0, may_rewind; }
    bool may_rewind;
    std::string text = "a body that is made";
    std::size_t at = 0;
};

TEST_F(HttpLoop, SourceThatRewindsGoesAgainAndOneThatDoesNotEndsTheRequest) {
    seen saw;
    http_server server(saw.handler([](const server_request&) -> server_reply {
        return {.status = 503, .headers = "", .body = "busy"};
    }));
    make({.total = 1, .per_host = 0});
    request what = to(server.url());
    what.method = "PUT";
    what.retry = {.retries = 1, .first_ms = 1, .max_ms = 1};
    what.source = std::make_shared<text_source>(true);
    send(what);
    what.source = std::make_shared<text_source>(false);
    send(what);
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.attempts, 2);
    EXPECT_EQ(sent[1].answer.attempts, 1);
    EXPECT_EQ(sent[1].answer.status, 503);
    EXPECT_EQ(sent[1].answer.body, "busy");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(saw.at(i).body, "a body that is made");
        EXPECT_EQ(saw.at(i).header("content-length"), "19");
    }
}

TEST_F(HttpLoop, RedirectThatWantsTheBodyAgainTakesItOrFails) {
    seen saw;
    http_server server(saw.handler([](const server_request& r) -> server_reply {
        if (r.path == "/b") return {.headers = "", .body = r.body};
        return {.status = 307, .headers = "Location: /b\r\n", .body = ""};
    }));
    make({});
    request what = to(server.url());
    what.method = "POST";
    what.source = std::make_shared<text_source>(true);
    send(what);
    what.source = std::make_shared<text_source>(false);
    send(what);
    until_all_are_over();
    EXPECT_EQ(sent[0].answer.body, "a body that is made");
    EXPECT_EQ(sent[1].answer.error, http_error::body);
}

// A sink that has seen part of an answer would see it twice.
TEST_F(HttpLoop, AnswerThatBreaksOffIsRetriedUnlessASinkHasSeenIt) {
    struct keeping_sink final : body_sink {
        flow write(std::string_view bytes) override { return got.append(bytes), flow::go_on; }
        std::string got;
    };
    int calls = 0;
    http_server server([&](const server_request&) -> server_reply {
        if (++calls % 2 == 0) return {.headers = "", .body = "whole"};
        return {.headers = "", .body = "part", .after = server_reply::end::close, .cut = 2};
    });
    make({.total = 1, .per_host = 0});
    request what = to(server.url());
    what.retry = {.retries = 3, .first_ms = 1, .max_ms = 1};
    pending& collected = send(what);
    until([&] { return collected.over; });
    EXPECT_EQ(collected.answer.body, "whole");
    EXPECT_EQ(collected.answer.attempts, 2);
    auto sink_of_body = std::make_shared<keeping_sink>();
    what.sink = sink_of_body;
    pending& streamed = send(what);
    until([&] { return streamed.over; });
    EXPECT_EQ(streamed.answer.error, http_error::reset);
    EXPECT_EQ(streamed.answer.attempts, 1);
    EXPECT_EQ(sink_of_body->got, "pa");
}

}  // namespace
}  // namespace gym::telemetry::http
