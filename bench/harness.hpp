// SPDX-License-Identifier: Apache-2.0
//
// What all contenders share. One line a figure: peer|work|mode|value|unit. The work is that of
// bench/README.md; a figure is nanoseconds an operation, as one thread sees it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

namespace bench {

using clock = std::chrono::steady_clock;
inline const char* peer = "?";

inline void emit(const char* work, const char* mode, double value, const char* unit = "ns") {
    std::printf("%s|%s|%s|%.3f|%s\n", peer, work, mode, value, unit);
    std::fflush(stdout);
}

// Length of one timing in ms; BENCH_MS sets it.
inline double target_ms() {
    static const double ms = [] {
        const char* set = std::getenv("BENCH_MS");
        return set != nullptr ? std::atof(set) : 60.0;
    }();
    return ms;
}

inline double ns_since(clock::time_point start) {
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

// body(thread, n) does n operations; the mean over the threads.
template <class Body>
double timed(int threads, std::uint64_t n, Body& body) {
    if (threads == 1) {
        const auto start = clock::now();
        body(0, n);
        return ns_since(start) / double(n);
    }
    std::atomic<int> ready{0};
    std::vector<double> each(threads);
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            body(t, 64);  // warms this thread's caches and thread-local state
            ready.fetch_add(1);
            while (ready.load() < threads) {
            }
            const auto start = clock::now();
            body(t, n);
            each[t] = ns_since(start) / double(n);
        });
    for (auto& thread : all) thread.join();
    double sum = 0;
    for (const double ns : each) sum += ns;
    return sum / threads;
}

template <class Body>
void measure(const char* work, const char* mode, int threads, Body body) {
    std::uint64_t n = 256;
    double ns = 0;
    do {
        n *= 4;
        ns = timed(1, n, body);
    } while (ns * double(n) < 3e6);
    n = std::uint64_t(target_ms() * 1e6 / ns);
    if (threads > 1) n = n / 2 + 1;
    emit(work, mode, timed(threads, n, body));
}

// The three modes: make(different) gives the body.
template <class Make>
void measure_modes(const char* work, Make make) {
    measure(work, "1t", 1, make(false));
    measure(work, "2t-same", 2, make(false));
    measure(work, "2t-diff", 2, make(true));
}

inline void fence() {
    asm volatile("" ::: "memory");
}
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

inline constexpr double bounds[12] = {250,   500,   1000,   2000,   5000,   10000,
                                      30000, 60000, 120000, 300000, 600000, 1800000};
inline constexpr std::uint64_t value_mask = 4095;

inline std::uint64_t next_random(std::uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 20;
}

// 4,096 values over all 13 buckets, in pseudo-random order.
inline const double* values() {
    static const std::vector<double> made = [] {
        const double pick[13] = {100,   300,   700,    1500,   3000,   7000, 20000,
                                 45000, 90000, 200000, 400000, 900000, 2e6};
        std::vector<double> result(value_mask + 1);
        std::uint64_t state = 88172645463325252ull;
        for (double& value : result) value = pick[next_random(state) % 13];
        return result;
    }();
    return made.data();
}

inline std::string task(int i) {
    char text[32];
    std::snprintf(text, sizeof text, "task-%06d", i);
    return text;
}

inline const std::vector<std::string>& tasks() {
    static const std::vector<std::string> made = [] {
        std::vector<std::string> result;
        for (int i = 0; i < 1000; ++i) result.push_back(task(i));
        return result;
    }();
    return made;
}

// 4,096 indices of tasks, in pseudo-random order.
inline const unsigned* order() {
    static const std::vector<unsigned> made = [] {
        std::vector<unsigned> result(value_mask + 1);
        std::uint64_t state = 362436069ull;
        for (unsigned& index : result) index = unsigned(next_random(state) % 1000);
        return result;
    }();
    return made.data();
}

inline constexpr const char* providers[2] = {"opensandbox", "dockerlocal"};

inline double heap_bytes() {
    const auto info = mallinfo2();
    return double(info.uordblks) + double(info.hblkhd);
}

template <class Body>
double median_us(int times, Body body) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        const auto start = clock::now();
        body();
        all.push_back(ns_since(start) / 1000.0);
    }
    std::ranges::sort(all);
    return all[all.size() / 2];
}

}  // namespace bench
