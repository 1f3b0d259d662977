// SPDX-License-Identifier: Apache-2.0
//
// The client as an application sees it, with telemetry on: threads, coroutines, loops of one's own.
#include "http_server.hpp"

#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/diagnostics.hpp>
#include <gym/telemetry/http.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <atomic>
#include <coroutine>
#include <future>
#include <mutex>

#include <curl/curl.h>
#include <poll.h>
#include <sys/resource.h>

namespace gym::telemetry::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::http_server;
using testing::server_reply;
using testing::server_request;

server_reply fine(const server_request&) {
    return {.headers = "", .body = "fine"};
}

class HttpClient : public ::testing::Test {
protected:
    void SetUp() override {
        options block;
        block.enabled = true;
        block.exporter = "memory";
        block.ignore_environment = true;
        init(block);
    }
    void TearDown() override { shutdown(); }

    // The value, or the count of a histogram, of all series of the instrument that have this value
    // as one of their attributes.
    static std::int64_t total(std::string_view instrument, std::string_view attribute) {
        std::int64_t sum = 0;
        for (const point& each : collect().points) {
            if (each.instrument != instrument) continue;
            for (const auto& [key, value] : each.attributes) {
                if (std::get<std::string>(value) != attribute) continue;
                if (const auto* count = std::get_if<std::int64_t>(&each.value)) sum += *count;
                if (const auto* histogram = std::get_if<histogram_value>(&each.value))
                    sum += static_cast<std::int64_t>(histogram->count);
            }
        }
        return sum;
    }
    static std::int64_t asked(std::string_view server) {
        return total(http_connection_pool_connect_instrument, server);
    }
    static std::int64_t connects(std::string_view server) {
        return total(http_connection_pool_connect_duration_instrument, server);
    }
    static std::int64_t queued(std::string_view server) {
        return total(http_connection_pool_queue_duration_instrument, server);
    }

    static request to(const std::string& url, const std::string& server = "model") {
        request what;
        what.url = url;
        what.server_name = server;
        return what;
    }
};

// `wanted` requests, always `at_once` of them under way.
struct load final : completion {
    load(client& c, request r, int wanted_, int at_once_)
        : through(c), what(std::move(r)), wanted(wanted_), at_once(at_once_) {}
    bool run() {
        for (int i = 0; i < at_once; ++i) through.send(what, *this);
        return all.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    }
    void done(response&& answer) override {
        if (answer.status == 200 && answer.body == "fine") good.fetch_add(1);
        if (sent.fetch_add(1) < wanted) through.send(what, *this);
        if (over.fetch_add(1) + 1 == wanted) all.set_value();
    }
    client& through;
    const request what;
    const int wanted, at_once;
    std::atomic<int> sent{at_once}, over{0}, good{0};
    std::promise<void> all;
};

TEST_F(HttpClient, TotalsAreExactAtOneThousandAtATime) {
    constexpr int wanted = 10'000, at_once = 1'000;
    http_server server(&fine);
    const auto pool = client::open({.limit = 100});
    ASSERT_NE(pool, nullptr);
    load all(*pool, to(server.url()), wanted, at_once);
    ASSERT_TRUE(all.run());
    EXPECT_EQ(all.good.load(), wanted);
    EXPECT_EQ(server.requests(), std::uint64_t{wanted});
    EXPECT_EQ(asked("model"), wanted);
    EXPECT_EQ(connects("ok"), static_cast<std::int64_t>(server.accepted()));
    EXPECT_EQ(connects("failed"), 0);
    EXPECT_LE(server.accepted(), 100u);
    EXPECT_GE(queued("ok"), at_once - 100);
    EXPECT_EQ(queued("abandoned"), 0);
}

// Client and server in one process: two descriptors a connection.
TEST_F(HttpClient, TotalsAreExactOnOneThousandConnections) {
    constexpr int wanted = 10'000, at_once = 1'000;
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < 3 * at_once) files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < 3 * at_once) GTEST_SKIP() << "too few file descriptors";
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "fine", .delay_ms = 50};
    });
    const auto pool = client::open({});
    ASSERT_NE(pool, nullptr);
    load all(*pool, to(server.url()), wanted, at_once);
    ASSERT_TRUE(all.run());
    EXPECT_EQ(all.good.load(), wanted);
    EXPECT_EQ(server.requests(), std::uint64_t{wanted});
    EXPECT_EQ(asked("model"), wanted);
    EXPECT_EQ(connects("ok"), static_cast<std::int64_t>(server.accepted()));
    EXPECT_EQ(connects("failed"), 0);
    EXPECT_LE(server.accepted(), std::uint64_t{at_once}) << "each is used again";
    EXPECT_EQ(queued("ok"), 0);
}

TEST_F(HttpClient, ManyThreadsSendAndCancelConcurrentSafe) {
    http_server server([](const server_request& r) -> server_reply {
        return {.headers = "", .body = "x", .delay_ms = r.path == "/slow" ? 5 : 0};
    });
    constexpr int threads = 4, each = 100;
    std::atomic<int> answered{0}, cancelled{0}, other{0};
    {
        const auto pool = client::open({.limit = 8});
        std::vector<std::thread> running;
        for (int t = 0; t < threads; ++t) {
            running.emplace_back([&] {
                for (int i = 0; i < each; ++i) {
                    const request_id id =
                        pool->send(to(server.url(i % 2 ? "/slow" : "/")), [&](response&& answer) {
                            if (answer.status == 200) {
                                answered.fetch_add(1);
                            } else if (answer.error == http_error::cancelled) {
                                cancelled.fetch_add(1);
                            } else {
                                other.fetch_add(1);
                            }
                        });
                    if (i % 3 == 0) pool->cancel(id);
                }
            });
        }
        for (std::thread& thread : running) thread.join();
        while (answered.load() + cancelled.load() + other.load() < threads * each)
            std::this_thread::yield();
    }
    EXPECT_EQ(other.load(), 0);
    EXPECT_GE(answered.load(), threads * each * 2 / 3 - threads);
    EXPECT_LE(asked("model"), threads * each);
}

TEST_F(HttpClient, EndsWhatIsUnderWayWhenItIsDestroyed) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 1'000'000};
    });
    std::vector<http_error> ends;
    {
        const auto pool = client::open({.limit = 1});
        for (int i = 0; i < 3; ++i)
            pool->send(to(server.url()), [&](response&& answer) { ends.push_back(answer.error); });
    }
    EXPECT_THAT(ends, ElementsAre(http_error::closed, http_error::closed, http_error::closed));
}

TEST_F(HttpClient, OptionsThatMeanNothingAreRefused) {
    std::string problem;
    EXPECT_EQ(client::open({.idle_connections_max = -1}, &problem), nullptr);
    EXPECT_THAT(problem, HasSubstr("idle_connections_max"));
    EXPECT_EQ(client::open({.idle_timeout_s = -1}, &problem), nullptr);
    EXPECT_THAT(problem, HasSubstr("idle_timeout_s"));
    EXPECT_EQ(client::open({.connection_age_max_s = -1}, &problem), nullptr);
    EXPECT_THAT(problem, HasSubstr("connection_age_max_s"));
    EXPECT_EQ(client::open({.body_size_max = -1}, &problem), nullptr);
    EXPECT_THAT(problem, HasSubstr("body_size_max"));
}

struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

TEST_F(HttpClient, CoroutineAwaitsItsAnswers) {
    http_server server(
        [](const server_request& r) -> server_reply { return {.headers = "", .body = r.path}; });
    const auto pool = client::open({});
    std::promise<std::string> bodies;
    const auto run = [&]() -> task {
        const response first = co_await pool->fetch(to(server.url("/1")));
        const response second = co_await pool->fetch(to(server.url("/2")));
        bodies.set_value(first.body + second.body);
    };
    run();
    EXPECT_EQ(bodies.get_future().get(), "/1/2");
}

TEST_F(HttpClient, CoroutineThatAwaitsGoesOnWhenTheClientEnds) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 1'000'000};
    });
    auto pool = client::open({});
    http_error ended = http_error::none;
    const auto run = [&]() -> task { ended = (co_await pool->fetch(to(server.url()))).error; };
    run();
    pool.reset();
    EXPECT_EQ(ended, http_error::closed);
}

TEST_F(HttpClient, LoopOfOnesOwnDrivesIt) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "x", .delay_ms = 10};
    });
    client_options options;
    options.own_thread = false;
    const auto pool = client::open(options);
    bool over = false;
    pool->send(to(server.url()), [&](response&& answer) { over = answer.status == 200; });
    std::int64_t due = pool->drive();
    int turns = 0;
    while (!over && ++turns < 1000) {
        pollfd ready{pool->descriptor(), POLLIN, 0};
        poll(&ready, 1, static_cast<int>(due));
        due = pool->drive();
    }
    EXPECT_TRUE(over);
    EXPECT_LT(turns, 50) << "it waits for its descriptor rather than spinning";
    EXPECT_EQ(pool->perform(to(server.url())).status, 200);
}

TEST_F(HttpClient, TraceparentComesFromTheHook) {
    std::mutex lock;
    std::vector<std::string> seen;
    http_server server([&](const server_request& r) -> server_reply {
        const std::lock_guard guard(lock);
        seen.push_back(r.header("traceparent"));
        return {.headers = "", .body = ""};
    });
    client_options options;
    std::string text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    options.traceparent_context = &text;
    options.traceparent = [](std::span<char> into, void* context) {
        return static_cast<std::string*>(context)->copy(into.data(), into.size());
    };
    const auto pool = client::open(options);
    pool->perform(to(server.url()));
    request own = to(server.url());
    own.traceparent = "00-11111111111111111111111111111111-2222222222222222-00";
    pool->perform(own);
    text.clear();
    pool->perform(to(server.url()));
    EXPECT_THAT(seen, ElementsAre("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                  own.traceparent, ""));
}

TEST_F(HttpClient, LimitsAreSharedByWorkers) {
    std::string problem;
    EXPECT_EQ(client::open({.limit = 3, .workers = 4}, &problem), nullptr);
    EXPECT_THAT(problem, AllOf(HasSubstr("3"), HasSubstr("4 workers")));
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 10};
    });
    const auto pool = client::open({.limit = 4, .workers = 4});
    std::promise<void> second;
    pool->send(to(server.url()), [](response&&) {});
    pool->send(to(server.url()), [&](response&&) { second.set_value(); });
    second.get_future().get();
    EXPECT_EQ(queued("total"), 1) << "one slot is this worker's share";
}

TEST_F(HttpClient, CapacityIsComplainedAboutOnce) {
    std::vector<std::string> complaints;
    set_diagnostics_handler(
        [](const diagnostic& what, void* context) {
            if (what.cause == "http.capacity")
                static_cast<std::vector<std::string>*>(context)->emplace_back(what.message);
        },
        &complaints);
    client_options options;
    options.limit = 100;
    options.intended_concurrency = 500;
    client::open(options);
    client::open(options);
    set_diagnostics_handler(nullptr);
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_THAT(complaints[0], AllOf(HasSubstr("500"), HasSubstr("100")));
}

TEST_F(HttpClient, MadeWhileMetricsAreOffMeasuresNothing) {
    shutdown();
    http_server server(&fine);
    const auto pool = client::open({});
    SetUp();
    pool->perform(to(server.url()));
    EXPECT_EQ(asked("model"), 0);
    EXPECT_EQ(connects("ok"), 0);
}

TEST_F(HttpClient, CountsOutliveTheClient) {
    http_server server(&fine);
    for (int i = 0; i < 3; ++i) client::open({})->perform(to(server.url()));
    EXPECT_EQ(asked("model"), 3);
    EXPECT_EQ(connects("model"), 3);
}

class ObservedTransfer : public HttpClient {
protected:
    void SetUp() override {
        HttpClient::SetUp();
        easy_ = curl_easy_init();
        curl_easy_setopt(
            easy_, CURLOPT_WRITEFUNCTION,
            +[](char*, std::size_t a, std::size_t b, void*) { return a * b; });
    }
    void TearDown() override {
        curl_easy_cleanup(easy_);
        HttpClient::TearDown();
    }
    int perform(const std::string& url) {
        curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
        const int result = curl_easy_perform(easy_);
        observe_transfer(easy_, result);
        return result;
    }
    CURL* easy_ = nullptr;
};

TEST_F(ObservedTransfer, NewConnectionIsMeasuredAndReuseIsNot) {
    http_server server(&fine);
    const destination_scope scope("judge");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(perform(server.url()), CURLE_OK);
    EXPECT_EQ(asked("judge"), 3);
    EXPECT_EQ(connects("judge"), 1);
    EXPECT_EQ(connects("ok"), 1);
    EXPECT_EQ(queued("judge"), 0);
}

TEST_F(ObservedTransfer, FailureToConnectIsToldFromFailureLater) {
    int closed = 0;
    {
        closed = http_server(&fine).port();
    }
    http_server resetting([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .after = server_reply::end::reset, .silent = true};
    });
    EXPECT_NE(perform("http://127.0.0.1:" + std::to_string(closed) + "/"), CURLE_OK);
    EXPECT_EQ(connects("failed"), 1);
    EXPECT_NE(perform(resetting.url()), CURLE_OK);
    EXPECT_EQ(connects("failed"), 1);
    EXPECT_EQ(connects("ok"), 1);
    EXPECT_EQ(asked("external"), 2);
}

TEST_F(ObservedTransfer, WaitInCurlsOwnQueueIsSeen) {
    http_server server([](const server_request&) -> server_reply {
        return {.headers = "", .body = "", .delay_ms = 20};
    });
    CURLM* multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    CURL* other = curl_easy_duphandle(easy_);
    for (CURL* each : {easy_, other}) {
        curl_easy_setopt(each, CURLOPT_URL, server.url().c_str());
        curl_multi_add_handle(multi, each);
    }
    for (int running = 1; running > 0;) {
        curl_multi_perform(multi, &running);
        curl_multi_poll(multi, nullptr, 0, 5, nullptr);
        int left = 0;
        while (CURLMsg* message = curl_multi_info_read(multi, &left))
            observe_transfer(message->easy_handle, message->data.result);
    }
    for (CURL* each : {easy_, other}) curl_multi_remove_handle(multi, each);
    curl_easy_cleanup(other);
    curl_multi_cleanup(multi);
    EXPECT_EQ(queued("unknown"), 1);
    EXPECT_EQ(queued("ok"), 1);
    EXPECT_EQ(connects("ok"), 1);
    EXPECT_EQ(asked("external"), 2);
}

}  // namespace
}  // namespace gym::telemetry::http
