// SPDX-License-Identifier: Apache-2.0
//
// prometheus-cpp, as Debian ships it, doing the same work.
#include "harness.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

using bench::measure;
using bench::measure_modes;

namespace {

prometheus::Registry registry;
const prometheus::Histogram::BucketBoundaries buckets(std::begin(bench::bounds),
                                                      std::end(bench::bounds));

}  // namespace

int main(int argc, char** argv) {
    bench::peer = "prometheus-cpp";
    auto& c1 = prometheus::BuildCounter().Name("c1").Register(registry);
    auto& c5 = prometheus::BuildCounter().Name("c5").Register(registry);
    auto& c7 = prometheus::BuildCounter().Name("c7").Register(registry);
    auto& h1 = prometheus::BuildHistogram().Name("h1").Register(registry);
    const double* values = bench::values();
    measure_modes("W1", [&](bool different) {
        return [&, different](int t, std::uint64_t n) {
            const char* v = bench::providers[different ? t : 0];
            for (; n; --n) c1.Add({{"provider", v}}).Increment();
        };
    });
    measure_modes("W2", [&](bool different) {
        return [&, different](int t, std::uint64_t n) {
            const char* v = bench::providers[different ? t : 0];
            for (; n; --n)
                c5.Add({{"provider", v},
                        {"operation", "exec_command"},
                        {"outcome", "error"},
                        {"type", "provider_quota_exhausted"},
                        {"server", "swe-agent-verifier-0"}})
                    .Increment();
        };
    });
    measure_modes("W3", [&](bool different) {
        return [&, different](int t, std::uint64_t n) {
            const char* v = bench::providers[different ? t : 0];
            for (; n; --n)
                h1.Add({{"provider", v}}, buckets).Observe(values[n & bench::value_mask]);
        };
    });
    static prometheus::Counter* const counters[2] = {&c1.Add({{"provider", bench::providers[0]}}),
                                                     &c1.Add({{"provider", bench::providers[1]}})};
    measure_modes("W4-counter", [&](bool different) {
        return [&, different](int t, std::uint64_t n) {
            for (; n; --n) counters[different ? t : 0]->Increment();
        };
    });
    static prometheus::Histogram* const histograms[2] = {
        &h1.Add({{"provider", bench::providers[0]}}, buckets),
        &h1.Add({{"provider", bench::providers[1]}}, buckets)};
    measure_modes("W4-hist", [&](bool different) {
        return [&, different](int t, std::uint64_t n) {
            for (; n; --n) histograms[different ? t : 0]->Observe(values[n & bench::value_mask]);
        };
    });
    const auto& tasks = bench::tasks();
    const auto in_turn = [&](int t, std::uint64_t n) {
        unsigned i = unsigned(t) * 500;
        for (; n; --n) {
            c7.Add({{"task", tasks[i]}}).Increment();
            if (++i == 1000) i = 0;
        }
    };
    measure("W7", "1t", 1, in_turn);
    measure("W7", "2t-same", 2, in_turn);
    return bench::run(argc, argv);
}
