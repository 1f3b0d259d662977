// SPDX-License-Identifier: Apache-2.0
//
// Speed and memory of the health report on one core: files read, rows evaluated, both files
// written.
//     health_bench FOLDER FILE...
// One line a figure, as in bench/harness.hpp. Times are CPU time of the process, since other work
// on the machine is none of the report's; the least of several runs.
#include <gym/telemetry/health.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include <sys/resource.h>
#include <time.h>

namespace {

constexpr int runs = 5;

double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double peak_mb() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

void emit(const char* mode, double value, const char* unit) {
    std::printf("gymtel|health|%s|%.3f|%s\n", mode, value, unit);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: health_bench FOLDER FILE...\n");
        return 2;
    }
    double bytes = 0;
    for (int i = 2; i < argc; ++i)
        bytes += static_cast<double>(std::filesystem::file_size(argv[i]));
    double best = 1e9;
    std::uint64_t records = 0;
    for (int run = 0; run < runs; ++run) {
        const double start = cpu_seconds();
        const auto report = gym::telemetry::run_health_report(
            {.files = {argv + 2, argv + argc}, .output_folder = argv[1], .workers = 1});
        best = std::min(best, cpu_seconds() - start);
        if (!report.error.empty()) {
            std::fprintf(stderr, "%s\n", report.error.c_str());
            return 1;
        }
        records = report.records;
    }
    emit("rows_per_second", static_cast<double>(records) / best, "1/s");
    emit("gb_per_second", bytes / best / 1e9, "GB/s");
    emit("peak_memory", peak_mb(), "MB");
    return 0;
}
