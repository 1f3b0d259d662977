// SPDX-License-Identifier: Apache-2.0
#include "export/retry.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gym::telemetry::detail {

namespace {

constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

// The whole text as a number without a sign.
std::optional<std::int64_t> digits(std::string_view text) noexcept {
    std::int64_t value = 0;
    if (text.empty() || text.front() == '-') return std::nullopt;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed == std::errc{} && stop == end) return value;
    return std::nullopt;
}

struct date {
    std::optional<std::int64_t> day, year;
    std::string_view month;
    std::string_view time;  // hh:mm:ss
};

// A year of two digits, as RFC 850 has it: the one that is at most 50 years ahead.
std::int64_t full_year(std::int64_t year) noexcept {
    return year >= 100 ? year : year < 70 ? 2000 + year : 1900 + year;
}

// The three forms of RFC 9110, of which the first is sent and all are to be read:
//   Sun, 06 Nov 1994 08:49:37 GMT
//   Sunday, 06-Nov-94 08:49:37 GMT
//   Sun Nov  6 08:49:37 1994
std::optional<date> split(std::string_view text) noexcept {
    std::array<std::string_view, 6> words;
    std::size_t count = 0;
    constexpr std::string_view separators = " ,-";
    for (std::size_t at = text.find_first_not_of(separators); at != text.npos;
         at = text.find_first_not_of(separators, at)) {
        if (count == words.size()) return std::nullopt;
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        words[count++] = text.substr(at, end - at);
        at = end;
    }
    if (count == 6 && words[5] == "GMT")
        return date{digits(words[1]), digits(words[3]), words[2], words[4]};
    if (count == 5) return date{digits(words[2]), digits(words[4]), words[1], words[3]};
    return std::nullopt;
}

std::optional<std::int64_t> seconds_of_day(std::string_view time) noexcept {
    if (time.size() != 8 || time[2] != ':' || time[5] != ':') return std::nullopt;
    const auto hour = digits(time.substr(0, 2));
    const auto minute = digits(time.substr(3, 2));
    const auto second = digits(time.substr(6, 2));
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
        return std::nullopt;
    return *hour * 3600 + *minute * 60 + *second;
}

// Seconds since the epoch.
std::optional<std::int64_t> parse_http_date(std::string_view text) noexcept {
    const std::optional<date> parts = split(text);
    if (!parts || !parts->day || !parts->year || parts->month.size() != 3) return std::nullopt;
    const std::size_t month = months.find(parts->month);
    const auto time = seconds_of_day(parts->time);
    if (month == months.npos || month % 3 != 0 || !time || *parts->year > 9999 || *parts->day > 31)
        return std::nullopt;
    const std::chrono::year_month_day day{
        std::chrono::year(static_cast<int>(full_year(*parts->year))),
        std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
        std::chrono::day(static_cast<unsigned>(*parts->day))};
    if (!day.ok()) return std::nullopt;
    return std::chrono::sys_days(day).time_since_epoch().count() * std::int64_t{86400} + *time;
}

}  // namespace

bool is_retried_status(long status) noexcept {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                      std::int64_t now_s) noexcept {
    const std::string_view text = trim(value);
    // What is too large for the type is as good as a century.
    constexpr std::int64_t century_s = std::int64_t{100} * 366 * 86400;
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    if (number) return std::chrono::seconds(std::min(digits(text).value_or(century_s), century_s));
    const std::optional<std::int64_t> at_s = parse_http_date(text);
    if (!at_s) return std::nullopt;
    return std::chrono::seconds(std::max<std::int64_t>(*at_s - now_s, 0));
}

std::chrono::milliseconds backoff::next() noexcept {
    std::uniform_int_distribution<int> pause(base_ms_ / 2, base_ms_);
    base_ms_ = std::min(base_ms_ * 2, last_ms);
    return std::chrono::milliseconds(pause(random_));
}

}  // namespace gym::telemetry::detail
