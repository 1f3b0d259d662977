// SPDX-License-Identifier: Apache-2.0
//
// The series of one instrument: full key -> index, and index -> key and encoded attributes. Lookups
// take no lock; only the first record of a new series does.
#pragma once

#include "engine/cell.hpp"
#include "engine/series_key.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gym::telemetry::engine {

// Writes the attributes of a new series in some wire format; the engine keeps the bytes as they
// are. `values` has one entry an attribute of the row; `overflow` series have none, but the
// attribute otel.metric.overflow = true.
using encode_attributes = void (*)(const instrument_row& row, const std::string_view* values,
                                   bool overflow, std::string& to);

// What the rules of the instruments layer make of one record's values.
struct normalized_values {
    std::array<std::string_view, max_attributes> values{};
    std::uint8_t unknown = 0;  // bit i: value i is in no list of known ones
    // Room for values that had to be rewritten.
    std::array<std::array<char, max_value_bytes>, max_attributes> room;
};
using normalize_values = void (*)(const instrument_row& row, const std::string_view* values,
                                  normalized_values& to) noexcept;

struct series_entry {
    const series_key* key = nullptr;
    std::string_view encoded;  // attributes, in the wire format of encode_attributes
    word* shared = nullptr;    // the cell of a last_value instrument
    std::uint8_t unknown = 0;  // as in normalized_values
    bool overflow = false;
};

struct series_limits {
    std::size_t series = 2000;   // without the overflow series; 0 is no limit
    std::size_t aliases = 1024;  // raw forms remembered, so that unbounded text stays bounded
};

class series_table {
public:
    series_table() = default;
    series_table(const series_table&) = delete;
    series_table& operator=(const series_table&) = delete;
    ~series_table();

    struct rules {
        const instrument_row* row = nullptr;
        normalize_values normalize = nullptr;
        encode_attributes encode = nullptr;
        series_limits limits{};
        bool constant_hash = false;  // a hook for tests: every key gets the same place
    };
    void set_rules(const rules& to) { rules_ = to; }

    struct found {
        std::uint32_t series = 0;
        // The key under which these raw values may be cached; null when they may not.
        const series_key* key = nullptr;
        bool overflow = false;
        std::uint8_t unknown = 0;  // of a record that goes to the overflow series
    };
    // The series of these raw values, made if it is new. Any thread. May throw bad_alloc.
    found intern(const std::string_view* raw, std::uint64_t hash);

    // Series known, the overflow series included. Any thread.
    std::uint32_t size() const noexcept { return size_.load(std::memory_order_acquire); }
    const series_entry& entry(std::uint32_t series) const noexcept;

private:
    struct slots {
        std::size_t mask = 0;
        std::unique_ptr<std::atomic<const series_key*>[]> at;
    };
    static constexpr std::size_t first_block = 16;  // entries; the next ones double
    static constexpr std::size_t block_count = 28;

    std::size_t arity() const noexcept { return rules_.row->attributes.size(); }
    std::uint64_t placed(std::uint64_t hash) const noexcept {
        return rules_.constant_hash ? 0 : hash;
    }
    const series_key* find(const std::string_view* values, std::uint64_t hash) const noexcept;
    found intern_new(const std::string_view* raw, std::uint64_t hash);
    const series_key* add_series(const normalized_values& to, std::uint64_t hash);
    const series_key* add_alias(const std::string_view* raw, std::uint64_t hash,
                                std::uint32_t series);
    std::uint32_t overflow_series();
    std::uint32_t add_entry(series_entry entry);
    series_key* make_key(const std::string_view* values, std::uint64_t hash);
    std::uint64_t number_of(std::string_view value);
    void make_place();
    void place(const series_key* key) noexcept;
    void put(const slots& table, const series_key* key) const noexcept;
    char* allocate(std::size_t size);
    std::string_view keep(std::string_view bytes);
    bool full() const noexcept {
        return rules_.limits.series != 0 &&
               regular_.load(std::memory_order_relaxed) >= rules_.limits.series;
    }

    rules rules_;
    std::atomic<const slots*> slots_{nullptr};
    std::atomic<std::uint32_t> size_{0};
    std::atomic<std::size_t> regular_{0};  // series without the overflow one
    std::array<std::atomic<series_entry*>, block_count> blocks_{};

    std::mutex mutex_;  // guards what follows, and all changes of what stands above
    std::size_t keys_ = 0;
    std::size_t aliases_ = 0;
    std::uint32_t overflow_ = 0;                     // index + 1
    std::vector<std::unique_ptr<slots>> all_slots_;  // old ones may still be read
    // Of instruments with several attributes.
    std::unordered_map<std::string_view, std::uint32_t> value_numbers_;
    std::vector<std::unique_ptr<char[]>> memory_;
    char* free_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace gym::telemetry::engine
