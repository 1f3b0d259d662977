// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/mman.h>

namespace gym::telemetry::cases {

namespace {

// A line of /proc/self/status, in KiB where it is a size.
std::int64_t status_of(std::string_view name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name))
            return std::strtoll(line.c_str() + name.size() + 1, nullptr, 10);
    return 0;
}

void bring_in_files() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find('/') == line.npos) continue;
        char* next = nullptr;
        const auto begin = std::strtoull(line.c_str(), &next, 16);
        const auto end = std::strtoull(next + 1, &next, 16);
        // Pages that cannot be read, and kernels before 5.14, refuse: then nothing is brought in.
        if (next[1] == 'r')
            madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
    }
}

}  // namespace

memory_growth::memory_growth() {
    bring_in_files();
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
    before_kib_ = status_of("VmRSS");
}

double memory_growth::peak_mib() const {
    return static_cast<double>(status_of("VmHWM") - before_kib_) / 1024;
}

double thread_cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

int thread_count() {
    return static_cast<int>(status_of("Threads"));
}

int socket_count() {
    int sockets = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;  // the directory's own descriptor
        const auto target = std::filesystem::read_symlink(entry.path(), gone);
        sockets += target.string().starts_with("socket:");
    }
    return sockets;
}

}  // namespace gym::telemetry::cases
