// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/http/request.hpp>

#include <algorithm>

namespace gym::telemetry::http {

std::string_view error_name(http_error what) noexcept {
    switch (what) {
        case http_error::none:
            return "none";
        case http_error::invalid_request:
            return "invalid_request";
        case http_error::resolve:
            return "resolve";
        case http_error::connect:
            return "connect";
        case http_error::tls:
            return "tls";
        case http_error::timed_out:
            return "timed_out";
        case http_error::cancelled:
            return "cancelled";
        case http_error::reset:
            return "reset";
        case http_error::protocol:
            return "protocol";
        case http_error::too_many_redirects:
            return "too_many_redirects";
        case http_error::body:
            return "body";
        case http_error::closed:
            return "closed";
        case http_error::other:
            return "other";
    }
    return "other";
}

std::string_view response::header_value(std::string_view name) const noexcept {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    for (const header& each : headers) {
        if (std::equal(each.name.begin(), each.name.end(), name.begin(), name.end(),
                       [&](char a, char b) { return lower(a) == lower(b); }))
            return each.value;
    }
    return {};
}

}  // namespace gym::telemetry::http
