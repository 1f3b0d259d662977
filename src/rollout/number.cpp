// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include <rollout/number.hpp>

namespace gym::telemetry::rollout {
namespace {

// Exponents are held to this, far beyond double and far from overflowing in a sum.
constexpr std::int64_t exponent_limit = 1'000'000'000'000'000'000;

// Plain decimals of few digits, which is what nearly all rewards and token counts are: both the
// digits and the power of ten are exact as doubles, so one division rounds rightly.
constexpr std::size_t max_plain_size = 17;
constexpr std::array<double, max_plain_size> powers_of_ten = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;

bool to_double_plain(std::string_view number, double& value) noexcept {
    const bool negative = number.front() == '-';
    number.remove_prefix(negative ? 1 : 0);
    if (number.size() > max_plain_size) return false;
    std::uint64_t digits = 0;
    std::size_t fraction = 0;
    bool after_point = false;
    for (const char c : number) {
        if (c == '.') {
            after_point = true;
        } else if (c >= '0' && c <= '9') {
            digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
            fraction += after_point;
        } else {
            return false;
        }
    }
    if (digits > max_exact_integer) return false;
    value = static_cast<double>(digits) / powers_of_ten[fraction];
    if (negative) value = -value;
    return true;
}

}  // namespace

double to_double(std::string_view number) noexcept {
    double value = 0;
    if (to_double_plain(number, value)) return value;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc()) return value;
    // Out of range, and the standard does not say on which side: the digits do.
    number_digits digits;
    digits.begin();
    for (const char c : number) digits.add(c);
    return digits.value();
}

void number_digits::begin() noexcept {
    digits_.clear();
    negative_ = in_fraction_ = in_exponent_ = exponent_negative_ = rest_is_not_zero_ = false;
    scale_ = exponent_ = 0;
}

void number_digits::add(char c) {
    if (c == '-') {
        (in_exponent_ ? exponent_negative_ : negative_) = true;
    } else if (c == '.') {
        in_fraction_ = true;
    } else if (c == 'e' || c == 'E') {
        in_exponent_ = true;
    } else if (c == '+') {
        return;
    } else if (in_exponent_) {
        exponent_ = std::min(exponent_ * 10 + (c - '0'), exponent_limit / 10);
    } else if (digits_.empty() && c == '0') {
        if (in_fraction_) --scale_;
    } else if (digits_.size() < kept_digits) {
        digits_.push_back(c);
        if (in_fraction_) --scale_;
    } else {
        rest_is_not_zero_ |= c != '0';
        if (!in_fraction_) ++scale_;
    }
}

double number_digits::value() const {
    const double sign = negative_ ? -1.0 : 1.0;
    if (digits_.empty()) return sign * 0.0;
    const std::int64_t exponent = scale_ + (exponent_negative_ ? -exponent_ : exponent_);
    // One more digit stands for all that were not kept.
    const std::int64_t first_digit = exponent + static_cast<std::int64_t>(digits_.size());
    if (first_digit > 400) return sign * std::numeric_limits<double>::infinity();
    if (first_digit < -400) return sign * 0.0;

    std::array<char, kept_digits + 32> text{};
    char* end = std::copy(digits_.begin(), digits_.end(), text.data());
    if (rest_is_not_zero_) *end++ = '1';
    *end++ = 'e';
    end = std::to_chars(end, text.data() + text.size(), exponent - (rest_is_not_zero_ ? 1 : 0)).ptr;
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc()) return sign * value;
    return sign * (first_digit > 0 ? std::numeric_limits<double>::infinity() : 0.0);
}

}  // namespace gym::telemetry::rollout
