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

}  // namespace

double to_double(std::string_view number) noexcept {
    double value = 0;
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
