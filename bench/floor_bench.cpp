// SPDX-License-Identifier: Apache-2.0
//
// What the machine itself allows: not libraries, but the pieces that a record cannot do without.
#include "harness.hpp"

namespace {

struct alignas(64) line {
    std::atomic<std::uint64_t> value{0};
};
line shared_line;
line own_lines[2];
// Seen through a pointer that the compiler does not know, as a library's cells are.
line* volatile own = own_lines;

// In one instruction, like the library's: of load, add and store a loop takes 0.35 or 2.4 ns, by
// where its code happens to lie.
__attribute__((always_inline)) inline void add_one(std::atomic<std::uint64_t>& value) {
#if defined(__x86_64__)
    asm("addq $1, %0" : "+m"(value) : : "cc");
#else
    value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    bench::peer = "floor";
    bench::measure_modes("F-fetch_add", [](bool different) {
        return [different](int t, std::uint64_t n) {
            auto& value = different ? own_lines[t].value : shared_line.value;
            for (; n; --n) {
                value.fetch_add(1, std::memory_order_relaxed);
                bench::fence();
            }
        };
    });
    bench::measure_modes("F-own-cell", [](bool) {
        return [](int t, std::uint64_t n) {
            auto& value = own[t].value;
            for (; n; --n) {
                add_one(value);
                bench::fence();
            }
        };
    });
    // Arithmetic alone, four independent chains: what a second thread costs the first although they
    // share no memory.
    bench::measure_modes("F-arithmetic", [](bool) {
        return [](int, std::uint64_t n) {
            std::uint64_t a = n, b = n + 1, c = n + 2, d = n + 3;
            for (; n; --n) {
                a = a * 5 + n, b = b * 5 + n, c = c * 5 + n, d = d * 5 + n;
                asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
            }
        };
    });
    bench::measure("F-steady_clock", "1t", 1, [](int, std::uint64_t n) {
        for (; n; --n) bench::keep(bench::clock::now().time_since_epoch().count());
    });
    // A histogram on cells of one's own: find the bucket, four stores.
    struct alignas(64) cells {
        std::atomic<std::uint64_t> buckets[13]{};
        std::atomic<double> sum{0}, min{1e300}, max{-1e300};
    };
    static cells all[2];
    bench::measure_modes("F-own-histogram", [](bool) {
        return [values = bench::values()](int t, std::uint64_t n) {
            cells& c = all[t];
            for (; n; --n) {
                const double value = values[n & bench::value_mask];
                unsigned bucket = 0;
                for (const double bound : bench::bounds) bucket += bound < value;
                const auto relaxed = std::memory_order_relaxed;
                c.buckets[bucket].store(c.buckets[bucket].load(relaxed) + 1, relaxed);
                c.sum.store(c.sum.load(relaxed) + value, relaxed);
                if (value < c.min.load(relaxed)) [[unlikely]]
                    c.min.store(value, relaxed);
                if (value > c.max.load(relaxed)) [[unlikely]]
                    c.max.store(value, relaxed);
                bench::fence();
            }
        };
    });
    return bench::run(argc, argv);
}
