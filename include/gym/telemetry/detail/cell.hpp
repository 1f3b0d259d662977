// SPDX-License-Identifier: Apache-2.0
//
// What one record does to a cell: a thread's part of a series. Here so that bound recorders can be
// inlined; not part of the public promise. Layout of cells: src/engine/cell.hpp.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gym::telemetry::detail {

using word = std::atomic<std::uint64_t>;
static_assert(sizeof(word) == 8 && word::is_always_lock_free);

inline std::uint64_t get(const word& w) noexcept {
    return w.load(std::memory_order_relaxed);
}
inline void set(word& w, std::uint64_t value) noexcept {
    w.store(value, std::memory_order_relaxed);
}
// A sanitizer does not see what assembly writes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GYM_TELEMETRY_PLAIN_ADD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define GYM_TELEMETRY_PLAIN_ADD 1
#endif
#endif

// Adds to a word. In one instruction where there is one: of load, add and store (which g++ makes of
// the other line) a loop takes 0.6 or 2.3 ns, by where its code happens to lie.
inline void add(word& w, std::uint64_t amount) noexcept {
#if defined(__x86_64__) && !defined(GYM_TELEMETRY_PLAIN_ADD)
    __asm__("addq %1, %0" : "+m"(w) : "er"(amount) : "cc");
#else
    set(w, get(w) + amount);
#endif
}
#undef GYM_TELEMETRY_PLAIN_ADD
inline double get_double(const word& w) noexcept {
    return std::bit_cast<double>(get(w));
}
inline void set_double(word& w, double value) noexcept {
    set(w, std::bit_cast<std::uint64_t>(value));
}

// Words of a histogram cell before its buckets.
namespace histogram_word {
inline constexpr std::size_t count = 0, sum = 1, min = 3, max = 4, buckets = 5;
}

// The bucket of a value: how many bounds lie below it, so a bucket includes its upper bound.
inline std::size_t bucket_of(std::span<const double> bounds, double value) noexcept {
    std::size_t bucket = 0;
    for (const double bound : bounds) bucket += bound < value;
    return bucket;
}

// One record, by the owner. The order of the stores is what makes a collection consistent, however
// long the owner stands still between any two of them:
//   1. the new sum goes to the slot of the record number to come, the old sum stays in the other;
//   2. the bucket (release: who sees it sees the new sum);
//   3. the count (release: who sees it sees the bucket).
// A reader that sees the same count before and after its copy has met at most one record in
// between: none (buckets add up to count, sum in slot count % 2) or one (buckets add up to
// count + 1, sum in the other slot). See read_histogram.
inline void record_histogram(word* cell, std::size_t bucket, double value) noexcept {
    using namespace histogram_word;
    const std::uint64_t before = get(cell[count]);
    const std::uint64_t odd = before & 1;
    const double total = get_double(cell[sum + odd]) + value;
    // Release (here and below; a plain store on x86): who sees the store sees the count before it.
    cell[sum + (odd ^ 1)].store(std::bit_cast<std::uint64_t>(total), std::memory_order_release);
    if (value < get_double(cell[min])) [[unlikely]]
        set_double(cell[min], value);
    if (value > get_double(cell[max])) [[unlikely]]
        set_double(cell[max], value);
    word& hits = cell[buckets + bucket];
    hits.store(get(hits) + 1, std::memory_order_release);
    cell[count].store(before + 1, std::memory_order_release);
}

// The range within which a thread's cell stays on the fast path: 2^16 threads cannot overflow an
// int64 together.
inline constexpr std::int64_t cell_limit = std::int64_t{1} << 47;

// True when the cell took it.
inline bool try_add(word& cell, std::int64_t delta) noexcept {
    const auto before = static_cast<std::int64_t>(get(cell));
    std::int64_t after = 0;
    if (__builtin_add_overflow(before, delta, &after)) return false;
    if (after > cell_limit || after < -cell_limit) return false;
    set(cell, static_cast<std::uint64_t>(after));
    return true;
}

}  // namespace gym::telemetry::detail
