// SPDX-License-Identifier: Apache-2.0
//
// When a request is tried again. Source: the OTLP specification ("Failures", "OTLP/HTTP
// throttling").
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

namespace gym::telemetry::detail {

// 429, 502, 503, 504. Every other status is final.
bool is_retried_status(long status) noexcept;

// The pause that a Retry-After header asks for: seconds, or an HTTP date against `now` (seconds
// since the epoch); a date in the past is no pause. None for anything else, which is then ignored.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                      std::int64_t now_s) noexcept;

// Pauses that double from 200 ms to 5 s, each between half of that and all of it by chance, so that
// a thousand gyms do not come back at the same moment.
class backoff {
public:
    explicit backoff(std::uint32_t seed) : random_(seed) {}
    std::chrono::milliseconds next() noexcept;
    void reset() noexcept { base_ms_ = first_ms; }

    static constexpr int first_ms = 200;
    static constexpr int last_ms = 5000;

private:
    int base_ms_ = first_ms;
    std::minstd_rand random_;
};

}  // namespace gym::telemetry::detail
