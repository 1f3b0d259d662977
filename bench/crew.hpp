// SPDX-License-Identifier: Apache-2.0
//
// Two threads that live as long as the program and measure slices of a few milliseconds, each on a
// processor of its own. They sleep while nobody asks for a slice: other contenders are measured
// then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <semaphore>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace bench {

using clock = std::chrono::steady_clock;

inline double ns_since(clock::time_point start) {
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

// Does n operations on thread 0 or 1.
using body = std::function<void(int thread, std::uint64_t n)>;

// Nanoseconds that the calling thread has been able to run and had no processor: another program
// had it. 0 where the kernel does not count them.
inline double ns_without_processor() {
    thread_local const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    char text[96] = {};
    unsigned long long ran = 0, waited = 0;
    if (::pread(file, text, sizeof text - 1, 0) > 0) std::sscanf(text, "%llu %llu", &ran, &waited);
    return double(waited);
}

// The calling thread onto the nth processor it may use, if there are so many: two threads that
// share one would take turns and never meet.
inline void pin(int nth) {
    cpu_set_t allowed, one;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            ::sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

class crew {
public:
    crew() : first_([this] { work(0); }), second_([this] { work(1); }) {}
    ~crew() {
        work_ = nullptr;
        for (auto& wake : wake_) wake.release();
        first_.join();
        second_.join();
    }

    // Nanoseconds an operation, mean of the two threads, n operations each: both at once, or with
    // `threads` 1 first the one and then the other.
    double slice(const body& work, int threads, std::uint64_t n) {
        if (threads == 2) return run(work, n, {0, 1});
        return (run(work, n, {0}) + run(work, n, {1})) / 2;
    }

    // So many operations a thread that a slice takes about this long.
    std::uint64_t operations(const body& work, int threads, double ms) {
        const double wanted = ms * 1e6 / (threads == 2 ? 1 : 2);
        std::uint64_t n = 256;
        double ns = slice(work, threads, n);
        for (; ns * double(n) < wanted / 2; ns = slice(work, threads, n)) n *= 2;
        return std::uint64_t(wanted / ns) + 1;
    }

private:
    double run(const body& work, std::uint64_t n, std::initializer_list<int> who) {
        work_ = &work;
        n_ = n;
        starting_ = int(who.size());
        for (const int thread : who) wake_[thread].release();
        double sum = 0;
        for ([[maybe_unused]] const int thread : who) done_.acquire();
        for (const int thread : who) sum += ns_[thread];
        return sum / double(who.size());
    }

    void work(int thread) {
        pin(thread);
        while (true) {
            wake_[thread].acquire();
            if (work_ == nullptr) return;
            (*work_)(thread, n_ / 8 + 64);  // warms what another contender has driven out
            starting_.fetch_sub(1);
            while (starting_.load() > 0) {
            }
            const double waited = ns_without_processor();
            const auto start = clock::now();
            (*work_)(thread, n_);
            const double ns = ns_since(start);
            ns_[thread] = (ns - (ns_without_processor() - waited)) / double(n_);
            done_.release();
        }
    }

    const body* work_ = nullptr;
    std::uint64_t n_ = 0;
    double ns_[2] = {};
    std::atomic<int> starting_{0};
    std::binary_semaphore wake_[2]{std::binary_semaphore{0}, std::binary_semaphore{0}};
    std::counting_semaphore<2> done_{0};
    std::thread first_, second_;
};

}  // namespace bench
