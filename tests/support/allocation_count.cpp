// SPDX-License-Identifier: Apache-2.0
#include "allocation_count.hpp"

#include "sanitizers.hpp"

#include <cstdlib>
#include <new>

namespace {

constinit thread_local std::uint64_t allocation_count = 0;
constinit thread_local std::uint64_t failing_allocation = 0;  // the number of it

}  // namespace

namespace gym::telemetry::test {

std::uint64_t allocations() noexcept {
    return allocation_count;
}
void fail_allocation_after(std::uint64_t good) noexcept {
    failing_allocation = allocation_count + good + 1;
}
void fail_no_allocation() noexcept {
    failing_allocation = 0;
}

}  // namespace gym::telemetry::test

#ifdef GYM_TELEMETRY_SANITIZED

// A sanitizer brings its own `new`, and tells of each allocation.
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t) {
    ++allocation_count;
}
extern "C" void __sanitizer_free_hook(const volatile void*) {}

#else

namespace {

void* counted(std::size_t size, std::size_t alignment) {
    if (++allocation_count == failing_allocation) throw std::bad_alloc();
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
