// SPDX-License-Identifier: Apache-2.0
//
// This library, as a user links it: the shared library and the public headers.
#include "harness.hpp"

#include <gym/telemetry/stopwatch.hpp>
#include <gym/telemetry/telemetry.hpp>

namespace gt = gym::telemetry;
using bench::fence;
using bench::measure;
using bench::measure_modes;
using bench::measure_once;
using std::string_view;

namespace {

constexpr string_view kind = "provider_quota_exhausted";
constexpr string_view type = "swe-agent-verifier-0";

inline __attribute__((always_inline)) void complete(string_view dispatch) {
    gt::record_rollout_completed("failed", dispatch, {"exec_command", kind, type});
}

// The stopwatch measures its rate once 50 ms have passed.
void warm_stopwatch() {
    static bool warm = false;
    if (std::exchange(warm, true)) return;
    bench::keep(gt::stopwatch().elapsed_ms());
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    bench::keep(gt::stopwatch().elapsed_ms());
}

// The two states of the process: telemetry off and on.
void turn_off() {
    gt::shutdown();
}

void turn_on() {
    gt::init(
        {.enabled = true, .span_groups = "all", .exporter = "memory", .ignore_environment = true});
    warm_stopwatch();
}

void off() {
    bench::state = turn_off;
    measure("W5-1attr", "1t", 1, [](int, std::uint64_t n) {
        const string_view provider = bench::providers[0];
        for (; n; --n) {
            gt::record_sandbox_create_retry(provider);
            fence();
        }
    });
    measure("W5-5attr", "1t", 1, [](int, std::uint64_t n) {
        const string_view dispatch = bench::providers[0];
        for (; n; --n) {
            complete(dispatch);
            fence();
        }
    });
    measure("empty-loop", "1t", 1, [](int, std::uint64_t n) {
        for (; n; --n) bench::keep(n);  // or it would be unrolled
    });
}

void repeated() {
    measure_modes("W1", [](bool different) {
        return [different](int t, std::uint64_t n) {
            const string_view provider = bench::providers[different ? t : 0];
            for (; n; --n) gt::record_sandbox_create_retry(provider);
        };
    });
    measure_modes("W2", [](bool different) {
        return [different](int t, std::uint64_t n) {
            const string_view dispatch = bench::providers[different ? t : 0];
            for (; n; --n) complete(dispatch);
        };
    });
    measure_modes("W3", [](bool different) {
        return [different, values = bench::values()](int t, std::uint64_t n) {
            const string_view provider = bench::providers[different ? t : 0];
            for (; n; --n) gt::record_sandbox_startup(values[n & bench::value_mask], provider);
        };
    });
}

const gt::bound_counter& bound_counter(int nth) {
    static const gt::bound_counter counters[2] = {
        gt::bind_sandbox_create_retry(bench::providers[0]),
        gt::bind_sandbox_create_retry(bench::providers[1])};
    return counters[nth];
}

const gt::bound_sandbox_histogram& bound_histogram(int nth) {
    static const gt::bound_sandbox_histogram histograms[2] = {
        gt::bind_sandbox_startup(bench::providers[0]),
        gt::bind_sandbox_startup(bench::providers[1])};
    return histograms[nth];
}

void bound() {
    measure_modes("W4-counter", [](bool different) {
        return [different](int t, std::uint64_t n) {
            const gt::bound_counter& counter = bound_counter(different ? t : 0);
            for (; n; --n) {
                counter.record();
                fence();
            }
        };
    });
    measure_modes("W4-hist", [](bool different) {
        return [different, values = bench::values()](int t, std::uint64_t n) {
            const gt::bound_sandbox_histogram& histogram = bound_histogram(different ? t : 0);
            for (; n; --n) {
                histogram.record(values[n & bench::value_mask]);
                fence();
            }
        };
    });
}

template <class Record>
void changing(const char* work, Record record) {
    const auto body = [record, order = bench::order()](int, std::uint64_t n) {
        for (; n; --n) record(bench::tasks()[order[n & bench::value_mask]], n);
    };
    measure(work, "1t", 1, body);
    measure(work, "2t-same", 2, body);
}

void many_sets() {
    const auto in_turn = [](int t, std::uint64_t n) {
        const auto& tasks = bench::tasks();
        unsigned i = unsigned(t) * 500;
        for (; n; --n) {
            gt::record_sandbox_create_retry(tasks[i]);
            if (++i == 1000) i = 0;
        }
    };
    measure("W7", "1t", 1, in_turn);
    measure("W7", "2t-same", 2, in_turn);
    changing("W1-changing",
             [](const std::string& set, std::uint64_t) { gt::record_sandbox_create_retry(set); });
    changing("W2-changing", [](const std::string& set, std::uint64_t) { complete(set); });
    changing("W3-changing", [values = bench::values()](const std::string& set, std::uint64_t n) {
        gt::record_sandbox_startup(values[n & bench::value_mask], set);
    });
}

const gt::bound_sandbox_histogram& exec_duration() {
    static const auto histogram = gt::bind_sandbox_exec_duration("docker");
    return histogram;
}

// Two clock reads and a record, against the two clock reads.
void timed_exec() {
    measure("W8-clock", "1t", 1, [](int, std::uint64_t n) {
        for (; n; --n) {
            const auto start = bench::clock::now();
            fence();
            bench::keep((bench::clock::now() - start).count());
        }
    });
    measure("W8-exec-clock", "1t", 1, [](int, std::uint64_t n) {
        const auto& histogram = exec_duration();
        for (; n; --n) {
            const auto start = bench::clock::now();
            fence();
            histogram.record(bench::clock::now() - start);
        }
    });
    measure("W8-exec", "1t", 1, [](int, std::uint64_t n) {
        const auto& histogram = exec_duration();
        for (; n; --n) {
            const gt::stopwatch watch;
            fence();
            histogram.record(watch.elapsed_ms());
        }
    });
}

// The slowest records while another thread collects all the time.
void slowest() {
    std::atomic<bool> stop{false};
    for (int i = 0; i < 1000; ++i) gt::record_sandbox_startup(1, bench::tasks()[i]);
    std::thread collector([&] {
        while (!stop) bench::keep(gt::collect().points.size());
    });
    std::vector<double> all;
    all.reserve(200000);
    for (int i = 0; i < 200000; ++i) {
        const auto start = bench::clock::now();
        gt::record_sandbox_startup(700, "docker");
        all.push_back(bench::ns_since(start));
    }
    stop = true;
    collector.join();
    std::ranges::sort(all);
    bench::emit("W9", "p50", all[all.size() / 2]);
    bench::emit("W9", "p99", all[all.size() * 99 / 100]);
    bench::emit("W9", "p99.9", all[all.size() * 999 / 1000]);
    bench::emit("W9", "max", all.back());
}

}  // namespace

int main(int argc, char** argv) {
    bench::peer = "gym-telemetry";
    off();
    bench::state = turn_on;
    repeated();
    bound();
    many_sets();
    timed_exec();
    measure_once("W9", "all", slowest);
    return bench::run(argc, argv);
}
