// SPDX-License-Identifier: Apache-2.0
//
// The gate's complaint and the two timers. They read the steady clock alone: a wall clock that is
// set meanwhile changes no duration.
#include "base/clock.hpp"
#include "base/diagnostics.hpp"

#include <gym/telemetry/detail/control.hpp>
#include <gym/telemetry/recorders.hpp>
#include <gym/telemetry/sandbox_extensions.hpp>
#include <gym/telemetry/sandbox_lifecycle.hpp>

#include <atomic>

namespace gym::telemetry {

namespace detail {

void sandbox_group_is_off() noexcept {
    // Unique to a generation; its lowest bit says something else. Relaxed: a race says it twice at
    // worst, and diagnose() makes that once.
    static constinit std::atomic<std::uint64_t> told_in{0};
    const std::uint64_t generation = recording() | 1;
    if (told_in.exchange(generation, std::memory_order_relaxed) == generation) return;
    diagnose("sandbox.group_off",
             "metrics are on and sandboxes are used, but the span group 'sandbox' is off, so "
             "gym.sandbox.* stays empty: add 'sandbox' to span_groups "
             "(NEMO_GYM_OTEL_SPAN_GROUPS; the preset 'default' does not hold it)");
}

namespace {

double ms_since(std::int64_t start_ns) noexcept {
    return static_cast<double>(steady_now_ns() - start_ns) / 1e6;
}

}  // namespace
}  // namespace detail

void sandbox_start_timer::begin() noexcept {
    if (detail::recording() == 0) return;  // the group is on for its spans alone
    start_ns_ = detail::steady_now_ns();
    record_sandbox_starting(1, provider_);
}

void sandbox_start_timer::end(std::string_view outcome) noexcept {
    const double duration_ms = detail::ms_since(start_ns_);
    start_ns_ = off;
    record_sandbox_starting(-1, provider_);
    record_sandbox_start_outcome(duration_ms, outcome, provider_);
    if (outcome == sandbox_outcome::ok) record_sandbox_startup(duration_ms, provider_);
}

void sandbox_exec_timer::begin() noexcept {
    if (detail::recording() != 0) start_ns_ = detail::steady_now_ns();
}

void sandbox_exec_timer::end(std::string_view outcome) noexcept {
    const double duration_ms = detail::ms_since(start_ns_);
    start_ns_ = off;
    record_sandbox_exec_outcome(duration_ms, outcome, provider_);
    if (outcome == sandbox_outcome::ok) record_sandbox_exec_duration(duration_ms, provider_);
}

}  // namespace gym::telemetry
