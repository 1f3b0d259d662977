// SPDX-License-Identifier: Apache-2.0
//
// JSON numbers of any size as doubles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gym::telemetry::rollout {

// The double nearest to the text of a JSON number: infinite when it is beyond double, zero when it
// rounds to that. The text must be a valid number.
double to_double(std::string_view number) noexcept;

// The same for a number that arrives a character at a time and may be longer than memory: keeps the
// first digits that decide the double, and counts the others.
class number_digits {
public:
    void begin() noexcept;
    void add(char c);
    double value() const;

private:
    // 768 digits decide the rounding of any double; what follows can only break a tie.
    static constexpr std::size_t kept_digits = 800;

    std::string digits_;
    bool negative_ = false;
    bool in_fraction_ = false;
    bool in_exponent_ = false;
    bool exponent_negative_ = false;
    bool rest_is_not_zero_ = false;
    std::int64_t scale_ = 0;  // power of ten that the kept digits, read as an integer, lack
    std::int64_t exponent_ = 0;
};

}  // namespace gym::telemetry::rollout
