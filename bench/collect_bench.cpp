// SPDX-License-Identifier: Apache-2.0
//
// W6: what a collection costs, and a collection with its OTLP bytes; memory of a series. Reaches
// below the public headers, since a user never collects by hand.
#include "engine/reader.hpp"
#include "engine/threads.hpp"
#include "export/metrics_request.hpp"
#include "export/series_attributes.hpp"
#include "harness.hpp"
#include "instruments/catalogue.hpp"
#include "instruments/rules.hpp"

#include <gym/telemetry/recorders.hpp>

namespace gt = gym::telemetry;

namespace {

std::shared_ptr<gt::engine::generation> make_generation() {
    using gt::instruments::id_of;
    gt::engine::generation_options options;
    options.rows = gt::instruments::catalogue;
    options.self = {.dropped = id_of("gym.telemetry.dropped_total"),
                    .unknown = id_of("gym.telemetry.unknown_value_total"),
                    .series = id_of("gym.telemetry.series"),
                    .overflowed = id_of("gym.telemetry.overflowed_total")};
    options.normalize = gt::instruments::normalize;
    options.encode = gt::detail::encode_series_attributes;
    options.limits.series = 0;
    return std::make_shared<gt::engine::generation>(options);
}

void record(int series) {
    for (int i = 0; i < series; ++i) {
        const std::string provider = bench::task(i);
        for (int j = 0; j < 39; ++j) gt::record_sandbox_startup(bench::values()[j], provider);
    }
}

// A generation lives until its last thread has recorded into a later one: so that the memory of the
// figure before goes before this figure's is counted.
void let_go() {
    gt::engine::begin_generation(make_generation());
    record(1);
    gt::engine::end_generation();
}

void collect(int series) {
    let_go();
    const std::string mode = std::to_string(series);
    const double before = bench::heap_bytes();
    auto source = make_generation();
    gt::engine::begin_generation(source);
    record(series);
    if (series == 10000)
        bench::emit("W6-mem", "B/series", (bench::heap_bytes() - before) / series, "B");
    gt::engine::reader reader(source, {});
    bench::emit("W6-collect", mode, bench::median_us(9, [&] { reader.collect(); }), "us");
    gt::detail::metrics_request_writer writer({.resource = {}, .scope = {}});
    std::size_t size = 0;
    const double us = bench::median_us(9, [&] {
        gt::detail::request_summary summary;
        size = writer.write(reader.collect(), summary).size();
    });
    bench::emit("W6-collect+ser", mode, us, "us");
    bench::emit("W6-bytes-out", mode, double(size), "B");
    if (series == 10000)
        bench::emit("W6-mem-after", "B/series", (bench::heap_bytes() - before) / series, "B");
    gt::engine::end_generation();
}

// Heap bytes a series that so many threads have touched; they end only when all have recorded.
void memory(int threads) {
    constexpr int series = 10000;
    const double before = bench::heap_bytes();
    auto source = make_generation();
    gt::engine::begin_generation(source);
    std::atomic<int> recorded{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            record(series);
            ++recorded;
            while (!stop) std::this_thread::yield();
        });
    while (recorded < threads) std::this_thread::yield();
    const double used = bench::heap_bytes() - before;
    stop = true;
    for (auto& thread : all) thread.join();
    bench::emit("W6-mem-threads", std::to_string(threads).c_str(), used / series, "B");
    gt::engine::end_generation();
}

}  // namespace

int main(int argc, char** argv) {
    bench::peer = "gym-telemetry";
    for (const int series : {100, 2000, 10000})
        bench::measure_once("W6-collect", std::to_string(series), [series] { collect(series); });
    for (const int threads : {1, 8, 64})
        bench::measure_once("W6-mem-threads", std::to_string(threads),
                            [threads] { memory(threads); });
    return bench::run(argc, argv);
}
