// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"
#include "http/capacity.hpp"
#include "http/client_loop.hpp"

#include <gym/telemetry/http/client.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <thread>

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

namespace gym::telemetry::http {

struct client::parts {
    parts(client_options given, slot_limits limits)
        : options(std::move(given)), loop(options, limits, recorder_by_gate()) {}

    client_options options;
    client_loop loop;
    std::thread thread;
};

namespace {

using telemetry::detail::diagnose;

void explain(std::string* problem, std::string why) {
    if (problem != nullptr) *problem = std::move(why);
}

// curl_global_init is not safe against itself in old versions, and costs milliseconds with TLS.
void start_curl() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)code;
}

// The application's signals are for its own threads.
std::thread start_thread(client_loop& loop) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread([&loop] {
        pthread_setname_np(pthread_self(), "gym-http");
        loop.run();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

capacity_question question_of(const client_options& options) {
    capacity_question question{
        .limits = {.total = options.limit, .per_host = options.limit_per_host},
        .workers = options.workers,
        .intended = options.intended_concurrency,
        .intended_per_host = options.intended_per_host,
    };
    measure_capacity(question);
    return question;
}

// The name of an option that means nothing; null when all mean something.
const char* negative_option(const client_options& options) {
    if (options.idle_connections_max < 0) return "idle_connections_max";
    if (options.idle_timeout_s < 0) return "idle_timeout_s";
    if (options.connection_age_max_s < 0) return "connection_age_max_s";
    return options.body_size_max < 0 ? "body_size_max" : nullptr;
}

class waiting_completion final : public completion {
public:
    void done(response&& answer) override { answer_.set_value(std::move(answer)); }
    std::future<response> answer() { return answer_.get_future(); }

private:
    std::promise<response> answer_;
};

}  // namespace

client::client(std::unique_ptr<parts> made) noexcept : parts_(std::move(made)) {}

std::unique_ptr<client> client::open(client_options options, std::string* problem) {
    const auto plan = plan_capacity(question_of(options));
    if (!plan) {
        explain(problem, plan.failure().text);
        return nullptr;
    }
    if (const char* name = negative_option(options); name != nullptr) {
        explain(problem, std::string(name) + " is negative");
        return nullptr;
    }
    for (const capacity_warning& each : plan->warnings)
        diagnose("http.capacity", each.text, each.subject);
    start_curl();
    const bool own_thread = options.own_thread;
    auto made = std::make_unique<parts>(std::move(options), plan->limits);
    if (!made->loop.ready()) {
        explain(problem, "no file descriptors left for an event loop");
        return nullptr;
    }
    if (own_thread) made->thread = start_thread(made->loop);
    return std::unique_ptr<client>(new client(std::move(made)));
}

client::~client() {
    if (!parts_->thread.joinable()) return;
    parts_->loop.stop();
    parts_->thread.join();
}

request_id client::send(request what, completion& then) {
    auto made = std::make_unique<transfer>();
    if (what.traceparent.empty() && parts_->options.traceparent != nullptr) {
        std::array<char, 128> text;
        const std::size_t size =
            parts_->options.traceparent(text, parts_->options.traceparent_context);
        what.traceparent.assign(text.data(), std::min(size, text.size()));
    }
    made->what = std::move(what);
    made->then = &then;
    return parts_->loop.submit(std::move(made));
}

response client::perform(request what) {
    waiting_completion waiting;
    std::future<response> answer = waiting.answer();
    send(std::move(what), waiting);
    if (!parts_->thread.joinable()) {
        while (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) drive(-1);
    }
    return answer.get();
}

void client::cancel(request_id id) {
    parts_->loop.cancel(id);
}

void client::resume(request_id id) {
    parts_->loop.resume(id);
}

int client::descriptor() const noexcept {
    return parts_->loop.descriptor();
}

std::int64_t client::drive(std::int64_t wait_ms) {
    return parts_->loop.drive(wait_ms);
}

}  // namespace gym::telemetry::http
