// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gym::telemetry::detail {

// The right to send a file's lines: one process at a time, until the end of the scope. Also what
// time its last request had.
class emitted_sender {
public:
    // None while somebody else has it.
    static std::optional<emitted_sender> claim(const std::string& file) noexcept;
    ~emitted_sender();
    emitted_sender(emitted_sender&& other) noexcept : lock_(std::exchange(other.lock_, -1)) {}
    emitted_sender& operator=(emitted_sender&&) = delete;

    // The time of a request that is to be sent now: after that of the one before, whatever the
    // clocks of its senders say.
    std::int64_t next_time_ns(std::int64_t now_ns) noexcept;

private:
    explicit emitted_sender(int lock) noexcept : lock_(lock) {}

    int lock_;
};

}  // namespace gym::telemetry::detail
