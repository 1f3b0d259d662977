// SPDX-License-Identifier: Apache-2.0
//
// The bucket of a value in about ten instructions, whatever the number of bounds: the leading bits
// of the value choose a place in a table, which says how many bounds lie below that place; one
// comparison finds out whether the one bound that lies within it is below the value, too. Counting
// all bounds took 36 instructions for twelve. Not part of the public promise.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gym::telemetry::detail {

template <std::size_t Bounds>
class bucket_index {
public:
    // Bounds are positive and ascend, no two of them closer than a quarter of a power of two, and
    // the last is less than 2^30 times the first: else this does not compile.
    consteval explicit bucket_index(const double* bounds)
        : lowest_(bounds[0]), highest_(of_place(place(bounds[Bounds - 1]) + 1)) {
        for (std::size_t i = 0; i < Bounds; ++i) bounds_[i] = bounds[i];
        bounds_[Bounds] = std::numeric_limits<double>::infinity();
        std::size_t below = 0;
        for (std::uint64_t at = place(lowest_); at <= place(highest_); ++at) {
            below_.at(at - place(lowest_)) = static_cast<std::uint8_t>(below);
            below += below < Bounds && place(bounds[below]) == at;
            if (below < Bounds && place(bounds[below]) == at) throw "bounds are too close";
        }
    }

    // How many bounds lie below the value, so that a bucket includes its upper bound. Not NaN.
    std::size_t operator()(double value) const noexcept {
        const double raised = value < lowest_ ? lowest_ : value;
        const double within = raised > highest_ ? highest_ : raised;
        const std::size_t below = below_[place(within) - place(lowest_)];
        return below + (bounds_[below] < value);
    }

private:
    // Exponent and the first two bits behind the leading one: numbers in the order of the values.
    static constexpr int shift = 50;
    static constexpr std::uint64_t place(double value) noexcept {
        return std::bit_cast<std::uint64_t>(value) >> shift;
    }
    static constexpr double of_place(std::uint64_t place) noexcept {
        return std::bit_cast<double>(place << shift);
    }

    double lowest_;
    double highest_;
    std::array<std::uint8_t, 122> below_{};
    std::array<double, Bounds + 1> bounds_{};
};

}  // namespace gym::telemetry::detail
