// SPDX-License-Identifier: Apache-2.0
#include "engine/thread_block.hpp"

#include <new>

#include <sys/mman.h>

namespace gym::telemetry::engine {

namespace {

constexpr std::size_t bound_table_bytes =
    gym::telemetry::detail::max_bindings * sizeof(bound_table::bound_cell);

}  // namespace

bound_table::~bound_table() {
    if (cells_ != nullptr) munmap(cells_, bound_table_bytes);
}

void bound_table::reserve() {
    if (cells_ != nullptr) return;
    // Zeros, which are null pointers: the system gives a page of them when one is touched.
    void* const pages = mmap(nullptr, bound_table_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    cells_ = static_cast<bound_cell*>(pages);
}

}  // namespace gym::telemetry::engine
