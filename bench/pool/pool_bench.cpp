// SPDX-License-Identifier: Apache-2.0
//
// What the instrumented HTTP pool costs: requests a second of a client on one core against a server
// of our own on the other, with recording on and off in turns, the recorders' share of a request,
// and the memory of an idle connection.
//
//     pool_bench [--requests N] [--pairs N] [--connections N]
#include "http/admission.hpp"
#include "http/pool_recorder.hpp"
#include "http_server.hpp"
#include "tls_server.hpp"

#include <gym/telemetry/http.hpp>
#include <gym/telemetry/lifecycle.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace http = gym::telemetry::http;
using steady = std::chrono::steady_clock;

struct settings {
    int requests = 40000;
    int pairs = 12;
    int connections = 1000;
};

int number(const char* text, const char* name) {
    const int value = std::atoi(text);
    if (value > 0) return value;
    std::fprintf(stderr, "pool_bench: %s wants a positive number, not '%s'\n", name, text);
    std::exit(2);
}

settings read_arguments(int count, char** values) {
    settings chosen;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = values[i];
        int* target = name == "--requests"      ? &chosen.requests
                      : name == "--pairs"       ? &chosen.pairs
                      : name == "--connections" ? &chosen.connections
                                                : nullptr;
        if (target == nullptr || i + 1 == count) {
            std::fprintf(stderr,
                         "usage: pool_bench [--requests N] [--pairs N] [--connections N]\n");
            std::exit(2);
        }
        ++i;
        *target = number(values[i], values[i - 1]);
    }
    return chosen;
}

void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        std::fprintf(stderr, "pool_bench: core %d is not ours; numbers are of shared cores\n",
                     core);
}

// The server in a process of its own, so that its memory and time are its own.
class server_process {
public:
    server_process() {
        int ends[2];
        if (pipe(ends) != 0) std::abort();
        child_ = fork();
        if (child_ == 0) serve(ends[1]);
        close(ends[1]);
        if (read(ends[0], &port_, sizeof port_) != sizeof port_) std::abort();
        close(ends[0]);
    }
    ~server_process() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    std::string url() const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/v1/responses";
    }

private:
    [[noreturn]] static void serve(int out) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(1);
        gym::telemetry::testing::http_server server([](const auto&) {
            gym::telemetry::testing::server_reply reply;
            reply.body = "{\"reward\":1.0}";
            return reply;
        });
        const int port = server.port();
        if (write(out, &port, sizeof port) != sizeof port) _exit(1);
        for (;;) pause();
    }

    pid_t child_ = 0;
    int port_ = 0;
};

// Keeps `at_once` requests under way until `wanted` are answered.
class load final : public http::completion {
public:
    load(http::client& through, std::string url, int wanted, int at_once)
        : client_(through), url_(std::move(url)), wanted_(wanted), at_once_(at_once) {}

    void run() {
        for (int i = 0; i < at_once_ && sent_ < wanted_; ++i) send();
        while (answered_ < wanted_) client_.drive(-1);
    }
    int failed() const { return failed_; }

    void done(http::response&& answer) override {
        ++answered_;
        if (answer.status != 200) ++failed_;
        if (sent_ < wanted_) send();
    }

private:
    void send() {
        ++sent_;
        http::request what;
        what.url = url_;
        what.server_name = "policy_model";
        client_.send(std::move(what), *this);
    }

    http::client& client_;
    std::string url_;
    int wanted_;
    int at_once_;
    int sent_ = 0;
    int answered_ = 0;
    int failed_ = 0;
};

std::unique_ptr<http::client> open_client(std::int64_t limit) {
    http::client_options options;
    options.limit = limit;
    options.own_thread = false;
    std::string problem;
    auto made = http::client::open(std::move(options), &problem);
    if (made == nullptr) {
        std::fprintf(stderr, "pool_bench: %s\n", problem.c_str());
        std::exit(1);
    }
    return made;
}

// CPU time of this thread, which is all of the client.
double cpu_seconds() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

double per_second(http::client& client, const std::string& url, int requests, int at_once) {
    load work(client, url, requests, at_once);
    const auto begin = steady::now();
    work.run();
    const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
    if (work.failed() != 0) {
        std::fprintf(stderr, "pool_bench: %d requests failed\n", work.failed());
        std::exit(1);
    }
    return requests / seconds;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void telemetry_on() {
    gym::telemetry::options block;
    block.enabled = true;
    block.exporter = "memory";
    block.ignore_environment = true;
    gym::telemetry::init(block);
}

struct spread {
    double mean = 0;
    double low = 0;
    double high = 0;
};

// Mean with the 95 % interval of the normal distribution.
spread spread_of(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (double each : values) mean += each / count;
    for (double each : values) squares += (each - mean) * (each - mean);
    const double error = count > 1 ? 1.96 * std::sqrt(squares / (count - 1) / count) : 0;
    return {mean, mean - error, mean + error};
}

// One client that measures and one that does not, in turns; which goes first changes each time.
// Half as many slots as requests, so that each request waits: the most that can be recorded.
void compare(const std::string& url, int requests, int at_once, int pairs) {
    auto plain = open_client(at_once / 2);
    telemetry_on();
    auto measured = open_client(at_once / 2);
    std::vector<double> rates, rates_plain, difference, cpu_difference;
    const auto turn = [&](http::client& client, std::vector<double>& rate) {
        const double before = cpu_seconds();
        rate.push_back(per_second(client, url, requests, at_once));
        return (cpu_seconds() - before) / requests * 1e6;
    };
    turn(*plain, rates_plain);
    turn(*measured, rates);
    rates.clear();
    rates_plain.clear();
    for (int i = 0; i < pairs; ++i) {
        double with = 0, without = 0;
        if (i % 2 == 0) with = turn(*measured, rates);
        without = turn(*plain, rates_plain);
        if (i % 2 == 1) with = turn(*measured, rates);
        difference.push_back(1e6 / rates.back() - 1e6 / rates_plain.back());
        cpu_difference.push_back(with - without);
    }
    const spread wall = spread_of(difference), cpu = spread_of(cpu_difference);
    std::printf("recording, %d at once on %d slots, %d pairs: %.0f requests/s with, %.0f without\n",
                at_once, at_once / 2, pairs, median(rates), median(rates_plain));
    std::printf(
        "  a request takes %+.3f us more, 95 %% interval %+.3f .. %+.3f; "
        "of CPU time %+.3f us, %+.3f .. %+.3f\n",
        wall.mean, wall.low, wall.high, cpu.mean, cpu.low, cpu.high);
    measured.reset();
    plain.reset();
    gym::telemetry::shutdown();
}

template <class Call>
double ns_of(Call call) {
    constexpr int rounds = 200000;
    double best = 1e9;
    for (int attempt = 0; attempt < 7; ++attempt) {
        const auto begin = steady::now();
        for (int i = 0; i < rounds; ++i) call(i);
        const std::chrono::duration<double, std::nano> spent = steady::now() - begin;
        best = std::min(best, spent.count() / rounds);
    }
    return best;
}

// What one request calls at most on a pool that is always full: asked and queued each time, and
// connected never, since connections are reused.
void recorders(double request_us) {
    telemetry_on();
    http::pool_recorder& recorder = *http::recorder_by_gate();
    const double asked = ns_of([&](int) { recorder.asked("policy_model"); });
    const double queued =
        ns_of([&](int i) { recorder.queued(0.01 * (i % 1000), "total", "ok", "policy_model"); });
    const double connected =
        ns_of([&](int i) { recorder.connected(0.01 * (i % 1000), "ok", "policy_model"); });
    const double a_request = asked + queued;
    std::printf(
        "recorders: asked %.1f ns, queued %.1f ns, connected %.1f ns; a queued request on a "
        "kept connection: %.1f ns of its %.1f us of CPU time = %.2f %%\n",
        asked, queued, connected, a_request, request_us, a_request / request_us / 10);
    gym::telemetry::shutdown();
}

void idle_memory(const std::string& url, int connections, const char* kind) {
    http::client_options options;
    options.own_thread = false;
    options.tls.verify = false;
    auto client = http::client::open(std::move(options));
    per_second(*client, url, 10, 1);
    const auto used = [] {
        malloc_trim(0);
        return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
    };
    const double before = used();
    per_second(*client, url, connections * 4, connections);
    const double after = used();
    std::printf(
        "memory: %.1f KB an idle %sconnection (%d of them, each with an idle curl handle)\n",
        (after - before) / 1024 / connections, kind, connections);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) {
    const settings chosen = read_arguments(count, values);
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const gym::telemetry::testing::tls_server secure(GYM_TELEMETRY_SOURCE_DIR);
    const server_process server;
    pin(0);
    double request_us = 0;
    {
        auto client = open_client(0);
        for (int at_once : {1, 16, 64, 256, 1000}) {
            per_second(*client, server.url(), chosen.requests / 4, at_once);
            const double before = cpu_seconds();
            const double rate = per_second(*client, server.url(), chosen.requests, at_once);
            const double cpu_us = (cpu_seconds() - before) / chosen.requests * 1e6;
            // Of CPU time alone: what else the machine does must not make the share look smaller.
            if (at_once == 64) request_us = cpu_us;
            std::printf("%5d at once: %7.0f requests/s, %5.1f us each, %5.1f us of it CPU time\n",
                        at_once, rate, 1e6 / rate, cpu_us);
            std::fflush(stdout);
        }
    }
    compare(server.url(), chosen.requests, 64, chosen.pairs);
    recorders(request_us);
    idle_memory(server.url(), chosen.connections, "");
    if (secure.ready()) idle_memory(secure.url(), chosen.connections, "TLS ");
}
