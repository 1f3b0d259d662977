// SPDX-License-Identifier: Apache-2.0
//
// The values and attribute sets that all contenders record, and what keeps a compiler from leaving
// the work out.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <malloc.h>

namespace bench {

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

}  // namespace bench
