// SPDX-License-Identifier: Apache-2.0
#include "http/retry.hpp"

#include <algorithm>
#include <charconv>

namespace gym::telemetry::http {

bool is_redirect(int status) noexcept {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool is_worth_retrying(int status) noexcept {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

bool is_idempotent(std::string_view method) noexcept {
    return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
           method == "OPTIONS" || method == "TRACE";
}

bool may_retry(const request& what, int retries_done, http_error error, int status,
               bool connected) noexcept {
    if (retries_done >= what.retry.retries) return false;
    switch (error) {
        case http_error::none:
            if (!is_worth_retrying(status)) return false;
            break;
        case http_error::resolve:
        case http_error::connect:
        case http_error::reset:
        case http_error::timed_out:
            break;
        default:
            return false;
    }
    return !connected || what.retry.any_method || is_idempotent(what.method);
}

std::int64_t backoff_ms(const retry_policy& policy, int retry, double random,
                        std::optional<std::int64_t> retry_after_s) noexcept {
    const std::int64_t most = std::max<std::int64_t>(policy.max_ms, 0);
    std::int64_t pause = std::clamp<std::int64_t>(policy.first_ms, 0, most);
    for (int n = 1; n < retry && pause < most; ++n) pause = std::min(pause * 2, most);
    const double drawn = static_cast<double>(pause) * (0.5 + random / 2);
    const std::int64_t asked = retry_after_s ? std::min(*retry_after_s, most / 1000 + 1) * 1000 : 0;
    return std::min(std::max(static_cast<std::int64_t>(drawn), asked), most);
}

std::optional<std::int64_t> parse_retry_after(std::string_view value) noexcept {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error != std::errc() || end != value.data() + value.size() || seconds < 0)
        return std::nullopt;
    return seconds;
}

std::string redirected_method(int status, const std::string& method) {
    if (status == 303 && method != "HEAD") return "GET";
    if ((status == 301 || status == 302) && method == "POST") return "GET";
    return method;
}

}  // namespace gym::telemetry::http
