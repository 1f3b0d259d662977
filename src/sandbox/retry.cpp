// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/sandbox_retry.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

namespace gym::telemetry {

namespace detail {

bool sleep_for(std::chrono::nanoseconds pause, void*) {
    std::this_thread::sleep_for(pause);
    return true;
}

double random_share() {
    // From the system each time: forked workers must not wait in step. A device has 5,000 bytes,
    // which is too much for a thread-local one: a plug-in could not be loaded with it.
    std::random_device device;
    return std::uniform_real_distribution<double>(0, 1)(device);
}

}  // namespace detail

std::chrono::nanoseconds create_retry_pause(const create_retries& rules, int number) {
    using nanoseconds = std::chrono::nanoseconds;
    const auto longest = static_cast<double>(nanoseconds(rules.longest_pause).count());
    const auto first = static_cast<double>(nanoseconds(rules.first_pause).count());
    const double grown = first * std::pow(std::max(rules.growth, 1.0), std::max(number - 2, 0));
    // A pause that grew beyond every number is the longest one, and so is NaN.
    const double whole = grown < longest ? grown : longest;
    const double chance = std::clamp(rules.jitter, 0.0, 1.0) * rules.random();
    return nanoseconds(static_cast<nanoseconds::rep>(std::max(whole * (1 - chance), 0.0)));
}

}  // namespace gym::telemetry
