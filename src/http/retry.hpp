// SPDX-License-Identifier: Apache-2.0
//
// Decisions about answers that are not the last word: pure functions.
#pragma once

#include <gym/telemetry/http/request.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::http {

bool is_redirect(int status) noexcept;
// 429, 502, 503, 504: the server, or what stands before it, asks to come again.
bool is_worth_retrying(int status) noexcept;
bool is_idempotent(std::string_view method) noexcept;

// Whether an attempt that ended like this may be made again. `connected`: the request may have
// reached the server.
bool may_retry(const request& what, int retries_done, http_error error, int status,
               bool connected) noexcept;

// The pause before retry number `retry` (from 1). `random` in [0, 1).
std::int64_t backoff_ms(const retry_policy& policy, int retry, double random,
                        std::optional<std::int64_t> retry_after_s) noexcept;

// A whole number of seconds; the other form, a date, is not read.
std::optional<std::int64_t> parse_retry_after(std::string_view value) noexcept;

// What a redirect of this status makes of the method: GET without a body for 303, and for 301 and
// 302 after a POST, as browsers do; the same otherwise.
std::string redirected_method(int status, const std::string& method);

}  // namespace gym::telemetry::http
