// SPDX-License-Identifier: Apache-2.0
//
// What the export loop sends, and what it sends it with.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gym::telemetry::detail {

using steady_clock = std::chrono::steady_clock;

enum class signal_kind : std::uint8_t { metrics, traces };

enum class outcome : std::uint8_t {
    ok,
    partial,   // taken, but for some points
    rejected,  // a final error: sending the same again would change nothing
    failed,    // no answer, or one that asks for another try
};
std::string_view name_of(outcome result) noexcept;

// True when the receiver has spoken its last word about what it was sent.
constexpr bool is_answered(outcome result) noexcept {
    return result != outcome::failed;
}

// One request and what became of it.
struct shipment {
    signal_kind signal = signal_kind::metrics;
    std::string_view body;  // protobuf; belongs to the caller
    outcome result = outcome::failed;
    std::int64_t rejected = 0;
    double duration_ms = 0;
};

// How long the export under way may take. The loop sets it when the export begins; who shuts down
// or waits for a flush tightens it from another thread.
class export_limits {
public:
    // Relaxed throughout: each word stands for itself, and a wake-up follows every change.
    steady_clock::time_point deadline() const noexcept {
        return steady_clock::time_point(
            std::chrono::nanoseconds(deadline_ns_.load(std::memory_order_relaxed)));
    }
    void set_deadline(steady_clock::time_point to) noexcept {
        deadline_ns_.store(count(to), std::memory_order_relaxed);
    }
    void tighten(steady_clock::time_point to) noexcept {
        std::int64_t old = deadline_ns_.load(std::memory_order_relaxed);
        while (count(to) < old &&
               !deadline_ns_.compare_exchange_weak(old, count(to), std::memory_order_relaxed)) {
        }
    }

    // This is the last export: pauses of our own end at once.
    std::atomic<bool> closing{false};
    // Somebody waits: an export that only pauses gives way to a new one.
    std::atomic<bool> hurried{false};

private:
    static std::int64_t count(steady_clock::time_point at) noexcept {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
    }

    std::atomic<std::int64_t> deadline_ns_{0};
};

class exporter {
public:
    virtual ~exporter() = default;
    virtual std::string_view name() const noexcept = 0;  // as in the configuration

    // Sends all of them and fills in what became of each, within limits.deadline(). Complains about
    // what failed. Export thread only.
    virtual void send(std::span<shipment> what, const export_limits& limits) = 0;

    // Makes send() look at the limits again. Any thread.
    virtual void wake() noexcept {}
    // In a forked child: gives back what it shares with its parent. Neither locks nor frees.
    virtual void abandon_in_child() noexcept {}
};

}  // namespace gym::telemetry::detail
