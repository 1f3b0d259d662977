// SPDX-License-Identifier: Apache-2.0
//
// Texts that live as long as the report, packed: a report of ten million rows holds twice as many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace gym::telemetry::health {

class text_arena {
public:
    // A copy that stays where it is, also when the arena is moved.
    std::string_view keep(std::string_view text) {
        if (text.empty()) return {};
        if (text.size() > room_) grow(text.size());
        char* at = next_;
        std::memcpy(at, text.data(), text.size());
        next_ += text.size();
        room_ -= text.size();
        return {at, text.size()};
    }

private:
    // An arena serves one block of lines, of which most rows leave a few bytes: it starts small.
    static constexpr std::size_t first_chunk_bytes = 1 << 10;
    static constexpr std::size_t largest_chunk_bytes = 64 << 10;

    void grow(std::size_t wanted) {
        room_ = std::max(wanted, chunk_bytes_);
        chunk_bytes_ = std::min(chunk_bytes_ * 2, largest_chunk_bytes);
        chunks_.push_back(std::make_unique_for_overwrite<char[]>(room_));
        next_ = chunks_.back().get();
    }

    std::vector<std::unique_ptr<char[]>> chunks_;
    char* next_ = nullptr;
    std::size_t room_ = 0;
    std::size_t chunk_bytes_ = first_chunk_bytes;
};

}  // namespace gym::telemetry::health
