// SPDX-License-Identifier: Apache-2.0
#include "engine/cell.hpp"

namespace gym::telemetry::engine {

namespace {

// A thread that does nothing but record changes a cell every 4 ns; a copy takes about 10 ns, but
// pulls the cell's cache lines away from the writer, so that most first tries succeed. After these
// many the reader gives up: nobody waits for anybody.
constexpr int max_tries = 1000;

bool try_read(const word* cell, std::size_t bucket_count, histogram_copy& to) noexcept {
    using namespace histogram_word;
    // Acquire pairs with the owner's release of count: all of those records are seen.
    const std::uint64_t before = cell[count].load(std::memory_order_acquire);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < bucket_count; ++i) {
        // Acquire: a bucket that counts a record makes that record's sum visible.
        to.buckets[i] = cell[buckets + i].load(std::memory_order_acquire);
        total += to.buckets[i];
    }
    if (total != before && total != before + 1) return false;
    to.count = total;
    // Acquire, so that the count is read again after all else.
    to.sum = std::bit_cast<double>(cell[sum + (total & 1)].load(std::memory_order_acquire));
    to.min = std::bit_cast<double>(cell[min].load(std::memory_order_acquire));
    to.max = std::bit_cast<double>(cell[max].load(std::memory_order_acquire));
    return get(cell[count]) == before;
}

}  // namespace

bool read_histogram(const word* cell, std::size_t bucket_count, histogram_copy& to) noexcept {
    for (int tries = 0; tries < max_tries; ++tries)
        if (try_read(cell, bucket_count, to)) return true;
    return false;
}

}  // namespace gym::telemetry::engine
