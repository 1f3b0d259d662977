// SPDX-License-Identifier: Apache-2.0
#include "base/url.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gym::telemetry::detail {
namespace {

constexpr std::string_view scheme_end = "://";

// Behind the scheme, which is http or https in any case; none when it is something else.
std::optional<std::string_view> behind_http_scheme(std::string_view url) {
    const std::size_t end = url.find(scheme_end);
    if (end == std::string_view::npos || end > 5) return std::nullopt;
    const std::string scheme = to_lower(url.substr(0, end));
    if (scheme != "http" && scheme != "https") return std::nullopt;
    return url.substr(end + scheme_end.size());
}

bool is_port(std::string_view text) noexcept {
    if (text.empty()) return true;  // RFC 3986: the scheme's own
    const std::optional<std::int64_t> port = parse_integer(text);
    return port && *port >= 1 && *port <= 65535;
}

// `host`, `host:port`, `[v6]` or `[v6]:port`.
bool is_host_and_port(std::string_view text) noexcept {
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos || close == 1) return false;
        const std::string_view rest = text.substr(close + 1);
        return rest.empty() || (rest[0] == ':' && is_port(rest.substr(1)));
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return !text.empty();
    return colon > 0 && is_port(text.substr(colon + 1));
}

bool is_usable_behind_scheme(std::string_view rest) noexcept {
    const bool printable = std::none_of(rest.begin(), rest.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte <= 0x20 || byte == 0x7F;
    });
    if (!printable) return false;
    std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        authority.remove_prefix(at + 1);
    }
    return is_host_and_port(authority);
}

}  // namespace

bool is_usable_http_url(std::string_view url) noexcept {
    const std::optional<std::string_view> rest = behind_http_scheme(url);
    return rest && is_usable_behind_scheme(*rest);
}

bool is_usable_grpc_target(std::string_view target) noexcept {
    if (target.find(scheme_end) != std::string_view::npos) return is_usable_http_url(target);
    return is_usable_behind_scheme(target);
}

std::string join_url(std::string_view base, std::string_view path) {
    while (base.ends_with('/')) base.remove_suffix(1);
    return std::string(base) + '/' + std::string(path);
}

std::string without_credentials(std::string_view url) {
    const std::size_t scheme = url.find(scheme_end);
    const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + scheme_end.size();
    const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
    const std::size_t at = url.substr(0, end).rfind('@');
    if (at == std::string_view::npos || at < begin) return std::string(url);
    return std::string(url.substr(0, begin)) + "***" + std::string(url.substr(at));
}

}  // namespace gym::telemetry::detail
