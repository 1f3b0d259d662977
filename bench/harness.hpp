// SPDX-License-Identifier: Apache-2.0
//
// What all contenders share: a program registers its figures and runs them. Started by itself it
// prints all, one line a figure: peer|work|mode|value|unit. With `--serve MS` it lists its figures
// and then measures what it is asked for, one slice of MS milliseconds a request, so that
// tools/dev/bench_table.py can alternate between contenders: bench/README.md.
#pragma once

#include "crew.hpp"
#include "workload.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct figure {
    std::string peer, work, mode;
    void (*enter)();  // brings the process into the state in which this is measured, or null
    int threads;      // 0: a one-off
    body operations;
    std::function<void()> once;  // emits its lines itself, maybe of several works
    std::uint64_t n = 0;         // operations a thread in a slice; 0 before the first
};

// What the registrations that follow belong to.
inline const char* peer = "?";
inline void (*state)() = nullptr;

inline std::vector<figure>& figures() {
    static std::vector<figure> all;
    return all;
}

inline void measure(const char* work, const char* mode, int threads, body operations) {
    figures().push_back({peer, work, mode, state, threads, std::move(operations), {}});
}

// The three modes: make(different) gives the body.
template <class Make>
void measure_modes(const char* work, Make make) {
    measure(work, "1t", 1, make(false));
    measure(work, "2t-same", 2, make(false));
    measure(work, "2t-diff", 2, make(true));
}

inline void measure_once(const char* work, const std::string& mode, std::function<void()> once) {
    figures().push_back({peer, work, mode, state, 0, {}, std::move(once)});
}

inline void emit(const std::string& work, const std::string& mode, double value,
                 const char* unit = "ns") {
    std::printf("%s|%s|%s|%.3f|%s\n", peer, work.c_str(), mode.c_str(), value, unit);
}

// Into the figure's state, where the process is not there yet; caches are cold then.
inline void enter(const figure& of) {
    static void (*current)() = nullptr;
    if (of.enter == current) return;
    current = of.enter;
    if (current != nullptr) current();
    for (auto& figure : figures()) figure.n = 0;
}

inline double slice(figure& of, double ms) {
    static crew threads;
    enter(of);
    if (of.n == 0) of.n = threads.operations(of.operations, of.threads, ms);
    return threads.slice(of.operations, of.threads, of.n);
}

inline void emit_once(const figure& of) {
    enter(of);
    peer = of.peer.c_str();
    of.once();
}

// Requests `peer|work|mode`, one a line; an answer is lines of figures and an empty line.
inline void serve(double ms) {
    for (const auto& f : figures())
        std::printf("%s|%s|%s|%s\n", f.peer.c_str(), f.work.c_str(), f.mode.c_str(),
                    f.threads == 0 ? "once" : "slice");
    std::puts("");
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
        for (auto& f : figures()) {
            if (line != f.peer + '|' + f.work + '|' + f.mode) continue;
            peer = f.peer.c_str();
            f.threads == 0 ? emit_once(f) : emit(f.work, f.mode, slice(f, ms));
        }
        std::puts("");
        std::fflush(stdout);
    }
}

inline double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

template <class Body>
double median_us(int times, Body once) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        const auto start = clock::now();
        once();
        all.push_back(ns_since(start) / 1000.0);
    }
    return median(all);
}

// The modes of one work in turn, slice by slice: the medians.
inline void print_work(std::vector<figure*> modes, int slices, double ms) {
    std::vector<std::vector<double>> all(modes.size());
    for (int i = 0; i < slices; ++i)
        for (std::size_t m = 0; m < modes.size(); ++m) all[m].push_back(slice(*modes[m], ms));
    peer = modes[0]->peer.c_str();
    for (std::size_t m = 0; m < modes.size(); ++m)
        emit(modes[m]->work, modes[m]->mode, median(all[m]));
    std::fflush(stdout);
}

// All figures. BENCH_MS sets the milliseconds of one figure, 60 otherwise, in slices of 6.
inline void print_all() {
    const char* set = std::getenv("BENCH_MS");
    const int slices = std::max(1, int((set != nullptr ? std::atof(set) : 60.0) / 6));
    auto& all = figures();
    for (std::size_t i = 0; i < all.size();) {
        std::vector<figure*> modes;
        const auto& [of, work] = std::pair(all[i].peer, all[i].work);
        for (; i < all.size() && all[i].threads != 0 && all[i].peer == of && all[i].work == work;
             ++i)
            modes.push_back(&all[i]);
        modes.empty() ? emit_once(all[i++]) : print_work(modes, slices, 6);
    }
}

inline int run(int argc, char** argv) {
    const bool serving = argc == 3 && std::strcmp(argv[1], "--serve") == 0;
    serving ? serve(std::atof(argv[2])) : print_all();
    return 0;
}

}  // namespace bench
