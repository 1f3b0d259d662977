// SPDX-License-Identifier: Apache-2.0
//
// A provider's own retry loop around its create: tries, counts each attempt that it retries in
// gym.sandbox.create_retry_total, and waits longer from one to the next.
//
//     auto id = gym::telemetry::retry_sandbox_create(
//         "docker", {.attempts = 5, .attempt_timeout = 30s, .is_retryable = is_transient},
//         [&](const create_attempt& attempt) { return docker.run(image, attempt.timeout); });
//
// It belongs inside the `create` of start_sandbox, so that one provisioning with all its attempts
// is one start. Gate: the span group `sandbox`.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/recorders.hpp>
#include <gym/telemetry/sandbox_lifecycle.hpp>

#include <chrono>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gym::telemetry {

namespace detail {
// Sleeps. Never cut short.
GYM_TELEMETRY_API bool sleep_for(std::chrono::nanoseconds pause, void*);
GYM_TELEMETRY_API double random_share();
}  // namespace detail

struct create_retries {
    int attempts = 3;  // in all; one or less is no retry
    // Before the second attempt, and at most; each pause is `growth` times the one before it.
    std::chrono::milliseconds first_pause{500};
    std::chrono::milliseconds longest_pause{30'000};
    double growth = 2;
    // The share of a pause that is left to chance, so that many who failed together do not come
    // back together: with 0.5 a pause of 8 s is one between 4 and 8 s.
    double jitter = 0.5;
    // How long each attempt may take, handed to it: only the provider's client can end a call that
    // is under way. Zero: no limit.
    std::chrono::milliseconds attempt_timeout{0};
    // Whether another try may help. Null: always.
    bool (*is_retryable)(const std::exception_ptr& error) = nullptr;
    // Waits for the pause; false when the caller was cancelled meanwhile, which ends the loop with
    // the last error. And what numbers in [0, 1) jitter takes. For event loops, and for tests.
    bool (*wait)(std::chrono::nanoseconds pause, void* context) = detail::sleep_for;
    double (*random)() = detail::random_share;
    void* context = nullptr;  // of `wait`
};

struct create_attempt {
    int number = 1;
    std::chrono::milliseconds timeout{0};  // of this attempt; zero: none
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// The pause before attempt `number` (2 is the first retry), jitter included.
GYM_TELEMETRY_API std::chrono::nanoseconds create_retry_pause(const create_retries& rules,
                                                              int number);

// What `create`, which takes a const create_attempt& or nothing, returns at the first attempt that
// does not throw. The error of the last attempt goes to the caller, and so does one that is not
// retryable. An attempt is counted when the next one is about to begin.
template <class Create>
auto retry_sandbox_create(std::string_view provider, const create_retries& rules, Create&& create) {
    for (int number = 1;; ++number) {
        try {
            create_attempt attempt{.number = number, .timeout = rules.attempt_timeout};
            if (attempt.timeout.count() > 0)
                attempt.deadline = std::chrono::steady_clock::now() + attempt.timeout;
            if constexpr (std::is_invocable_v<Create&, const create_attempt&>)
                return create(std::as_const(attempt));
            else
                return create();
        } catch (...) {
            if (number >= rules.attempts) throw;
            if (rules.is_retryable != nullptr && !rules.is_retryable(std::current_exception()))
                throw;
            if (!rules.wait(create_retry_pause(rules, number + 1), rules.context)) throw;
            if (sandbox_call_site_enabled()) record_sandbox_create_retry(provider);
        }
    }
}

}  // namespace gym::telemetry
