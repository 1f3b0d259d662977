// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/mman.h>

namespace gym::telemetry::cases {

static constinit thread_local std::uint64_t allocation_count = 0;

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

std::uint64_t allocations() noexcept {
    return allocation_count;
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

#ifdef GYM_TELEMETRY_SANITIZED

// A sanitizer brings its own `new`, and tells of each allocation.
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t) {
    ++gym::telemetry::cases::allocation_count;
}
extern "C" void __sanitizer_free_hook(const volatile void*) {}

#else

namespace {

void* counted(std::size_t size, std::size_t alignment) {
    ++gym::telemetry::cases::allocation_count;
    if (size == 0) size = 1;
    void* room = alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
                     ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                     : std::malloc(size);
    if (room == nullptr) throw std::bad_alloc();
    return room;
}

}  // namespace

// Every `new` of the program is counted. The other forms of the standard library end in these.
void* operator new(std::size_t size) {
    return counted(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* room) noexcept {
    std::free(room);
}
void operator delete(void* room, std::size_t) noexcept {
    std::free(room);
}
void operator delete(void* room, std::align_val_t) noexcept {
    std::free(room);
}
void operator delete(void* room, std::size_t, std::align_val_t) noexcept {
    std::free(room);
}

#endif
