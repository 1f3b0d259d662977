// SPDX-License-Identifier: Apache-2.0
#include "http/url.hpp"

#include <memory>

#include <curl/curl.h>

namespace gym::telemetry::http {

namespace {

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has_prefix(std::string_view text, std::string_view prefix) noexcept {
    if (text.size() < prefix.size()) return false;
    for (std::size_t i = 0; i < prefix.size(); ++i)
        if (lower(text[i]) != prefix[i]) return false;
    return true;
}

bool has_port(std::string_view authority) noexcept {
    const std::size_t colon = authority.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::size_t bracket = authority.rfind(']');  // of an IPv6 address
    return (bracket == std::string_view::npos || colon > bracket) && colon + 1 < authority.size();
}

}  // namespace

std::optional<std::string> origin_of(std::string_view url) {
    const bool secure = has_prefix(url, "https://");
    if (!secure && !has_prefix(url, "http://")) return std::nullopt;
    const std::string_view scheme = secure ? "https://" : "http://";
    std::string_view authority = url.substr(scheme.size());
    authority = authority.substr(0, authority.find_first_of("/?#\\"));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
        authority.remove_prefix(at + 1);
    if (authority.ends_with(':')) authority.remove_suffix(1);
    if (authority.empty() || authority.front() == ':') return std::nullopt;
    std::string origin(scheme);
    for (char c : authority) origin += lower(c);
    if (!has_port(authority)) origin += secure ? ":443" : ":80";
    return origin;
}

std::optional<std::string> resolve_redirect(const std::string& url, const std::string& location) {
    const std::unique_ptr<CURLU, void (*)(CURLU*)> parsed(curl_url(), &curl_url_cleanup);
    if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
        curl_url_set(parsed.get(), CURLUPART_URL, location.c_str(), CURLU_URLENCODE) != CURLUE_OK)
        return std::nullopt;
    char* text = nullptr;
    if (curl_url_get(parsed.get(), CURLUPART_URL, &text, 0) != CURLUE_OK) return std::nullopt;
    std::string target(text);
    curl_free(text);
    if (!origin_of(target)) return std::nullopt;
    return target;
}

}  // namespace gym::telemetry::http
