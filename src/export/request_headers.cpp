// SPDX-License-Identifier: Apache-2.0
#include "export/request_headers.hpp"

#include "base/diagnostics.hpp"
#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gym::telemetry::detail {

namespace {

constexpr std::array<std::string_view, 5> own_headers = {
    "content-type", "content-length", "content-encoding", "transfer-encoding", "expect"};

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// A percent sign that starts no escape stands for itself, as a token may hold one.
std::string percent_decode(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = i + 2 < text.size() && text[i] == '%' ? hex_value(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
        if (low >= 0) {
            result += static_cast<char>(high << 4 | low);
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

// A token of RFC 9110.
bool is_header_name(std::string_view name) noexcept {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool has_control(std::string_view value) noexcept {
    return std::ranges::any_of(value, [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
}

std::optional<std::pair<std::string, std::string>> parse_header(std::string_view entry) {
    const std::size_t equals = entry.find('=');
    if (equals == entry.npos) return std::nullopt;
    std::pair<std::string, std::string> header(percent_decode(trim(entry.substr(0, equals))),
                                               percent_decode(trim(entry.substr(equals + 1))));
    const bool own = std::ranges::find(own_headers, to_lower(header.first)) != own_headers.end();
    if (own || !is_header_name(header.first) || has_control(header.second)) return std::nullopt;
    return header;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_request_headers(std::string_view list) {
    std::vector<std::pair<std::string, std::string>> headers;
    int number = 0;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string_view entry = trim(list.substr(at, end - at));
        at = end + 1;
        ++number;
        if (entry.empty()) continue;
        if (auto header = parse_header(entry)) {
            headers.push_back(*std::move(header));
            continue;
        }
        const std::string which = std::to_string(number);
        diagnose("export.headers",
                 "OTEL_EXPORTER_OTLP_HEADERS: entry " + which +
                     " is no header that can be sent; it is left out",
                 which);
    }
    return headers;
}

}  // namespace gym::telemetry::detail
