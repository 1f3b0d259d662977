// SPDX-License-Identifier: Apache-2.0
//
// Speed of `gymtel replay` on one core, cache warm: real rows repeated to 1 GB, and rows of 85
// bytes. Beside it, interleaved, simdjson's on-demand mode over the same file, which reads the
// reward of each row and checks little else: what a replay could at best be.
//
//     replay_bench GYMTEL FOLDER_WITH_ROLLOUTS [ROUNDS]
//
// Prints a line a figure: name, GB/s of wall time, GB/s of the process's own time, GB/s of
// simdjson.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr std::size_t example_bytes = std::size_t{1000} << 20;
constexpr std::size_t short_bytes = std::size_t{400} << 20;
constexpr const char* short_row =
    R"({"_ng_task_index":11,"_ng_rollout_index":0,"agent_ref":{"name":"env"},"reward":1.0})"
    "\n";

struct spent {
    double wall_s = 1e9;
    double own_s = 1e9;  // user and system time
};

double seconds(const timeval& t) {
    return double(t.tv_sec) + double(t.tv_usec) / 1e6;
}

void pin_to_one_core() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(std::max(0, ::sched_getcpu()), &cores);
    ::sched_setaffinity(0, sizeof cores, &cores);
}

std::string example_rows(const fs::path& folder) {
    std::string rows;
    for (const auto& entry : fs::directory_iterator(folder)) {
        // Its lines are no rows: naming them would be measured.
        if (entry.path().extension() != ".jsonl" || entry.path().stem() == "placeholder_rows")
            continue;
        std::ifstream file(entry.path(), std::ios::binary);
        rows.append(std::istreambuf_iterator<char>(file), {});
        if (!rows.ends_with('\n')) rows += '\n';
    }
    return rows;
}

std::size_t write_repeated(const fs::path& path, const std::string& rows, std::size_t bytes) {
    std::string block;
    while (block.size() < (std::size_t{1} << 20)) block += rows;
    std::ofstream file(path, std::ios::binary);
    std::size_t written = 0;
    for (; written < bytes; written += block.size()) file << block;
    return written;
}

spent run_gymtel(const char* gymtel, const fs::path& file) {
    const auto start = clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
        ::execl(gymtel, gymtel, "replay", "--no-health", "--json", file.c_str(), nullptr);
        ::_exit(126);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::fprintf(stderr, "replay_bench: %s failed on %s\n", gymtel, file.c_str());
        std::exit(1);
    }
    return {std::chrono::duration<double>(clock::now() - start).count(),
            seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

// Over a few MB that stay in the cache, until as many bytes have gone by.
double run_simdjson(const std::string& rows, std::size_t bytes) {
    std::string text;
    while (text.size() < (std::size_t{4} << 20)) text += rows;
    const simdjson::padded_string padded(text);
    simdjson::ondemand::parser parser;
    double total = 0;
    const auto start = clock::now();
    std::size_t done = 0;
    for (; done < bytes; done += text.size()) {
        simdjson::ondemand::document_stream rows_of_text;
        if (parser.iterate_many(padded, std::size_t{1} << 20).get(rows_of_text) != 0) std::exit(1);
        for (auto row : rows_of_text) {
            double reward = 0;
            if (row["reward"].get(reward) == simdjson::SUCCESS) total += reward;
        }
    }
    const double took = std::chrono::duration<double>(clock::now() - start).count();
    if (total == 12345.678) std::puts("");  // or the work could be left out
    return double(done) / took / 1e9;
}

void measure(const char* name, const char* gymtel, const fs::path& folder, const std::string& rows,
             std::size_t size, int rounds) {
    const fs::path file = folder / "rows.jsonl";
    const std::size_t bytes = write_repeated(file, rows, size);
    run_gymtel(gymtel, file);  // warms the cache
    spent best;
    double simdjson_gbps = 0;
    for (int i = 0; i < rounds; ++i) {
        const spent now = run_gymtel(gymtel, file);
        best = {std::min(best.wall_s, now.wall_s), std::min(best.own_s, now.own_s)};
        simdjson_gbps = std::max(simdjson_gbps, run_simdjson(rows, bytes / 4));
    }
    std::printf("%-22s %6.2f %6.2f %6.2f\n", name, double(bytes) / best.wall_s / 1e9,
                double(bytes) / best.own_s / 1e9, simdjson_gbps);
    std::fflush(stdout);
    fs::remove(file);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: replay_bench GYMTEL FOLDER_WITH_ROLLOUTS [ROUNDS]\n");
        return 2;
    }
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
    std::string folder = (fs::temp_directory_path() / "replay_bench_XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 1;
    pin_to_one_core();
    std::printf("%-22s %6s %6s %6s\n", "GB/s, one core, best", "wall", "own", "simdj.");
    measure("real rows, 1 GB", argv[1], folder, example_rows(argv[2]), example_bytes, rounds);
    measure("rows of 85 bytes", argv[1], folder, short_row, short_bytes, rounds);
    fs::remove_all(folder);
    return 0;
}
