// SPDX-License-Identifier: Apache-2.0
//
// Each case is played in a forked child: so it begins with fresh telemetry, and one that crashes or
// hangs is a failure of that case alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

namespace gym::telemetry::cases {

struct outcome {
    enum class kind : std::uint8_t { passed, failed, skipped } is = kind::passed;
    std::string reason;
};

// Runs `play` in a child of this process, which has one thread. What it throws is the outcome; so
// are a signal, an exit code that a sanitizer sets, and running longer than `limit`.
class isolated_play {
public:
    isolated_play(const std::function<void()>& play, std::chrono::seconds limit);
    isolated_play(const isolated_play&) = delete;
    isolated_play& operator=(const isolated_play&) = delete;

    // Waits for the end, at most until the limit. To be called once.
    outcome finish();

private:
    pid_t child_;
    int from_;
    std::chrono::seconds limit_;
    std::chrono::steady_clock::time_point until_;
};

// The name of a signal without SIG ("ABRT").
std::string signal_name(int signal);

}  // namespace gym::telemetry::cases
