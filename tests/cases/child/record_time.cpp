// SPDX-License-Identifier: Apache-2.0
#include "record_time.hpp"

#include "process_report.hpp"

#include <gym/telemetry/recorders.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace gym::telemetry::cases {

namespace {

std::atomic<std::int64_t> longest_ns = 0;
// Never destroyed: the process may end while it runs.
std::thread& probe() {
    static auto* const thread = new std::thread;
    return *thread;
}

}  // namespace

thread_moment thread_now() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return {monotonic_ns(), used.ru_nivcsw, used.ru_nvcsw};
}

void note_record(const thread_moment& before) {
    const thread_moment after = thread_now();
    // A thread that never gave the processor up and still took long was only set aside.
    if (after.waited == before.waited && after.preempted != before.preempted) return;
    const std::int64_t took = after.ns - before.ns;
    std::int64_t longest = longest_ns;
    while (took > longest && !longest_ns.compare_exchange_weak(longest, took)) {
    }
}

void report_longest_record() {
    static std::int64_t reported = 0;
    if (longest_ns > reported) report("longest_record_ns", reported = longest_ns);
}

void begin_probe() {
    probe() = std::thread([] {
        constexpr std::size_t calls = 100'000;
        std::vector<std::int64_t> took(calls);
        for (std::int64_t& ns : took) {
            const std::int64_t before = monotonic_ns();
            record_sandbox_create_retry("probe");
            ns = monotonic_ns() - before;
        }
        const std::size_t rank = calls * 999 / 1000;
        std::ranges::nth_element(took, took.begin() + static_cast<std::ptrdiff_t>(rank));
        report("record_p999_ns", took[rank]);
    });
}

void end_probe() {
    if (probe().joinable()) probe().join();
}

}  // namespace gym::telemetry::cases
