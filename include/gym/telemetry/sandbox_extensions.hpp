// SPDX-License-Identifier: Apache-2.0
//
// Sandbox instruments beyond the telemetry API page: ours, on by default, marked `extension` in the
// table and in docs/instruments.md. The page's durations know success only, so a start that fails
// after ten minutes is invisible there; these instruments show it. The call sites of sandbox.hpp
// record them. Rules and cost: as in recorders.hpp.
#pragma once

#include <gym/telemetry/detail/api.hpp>
#include <gym/telemetry/detail/control.hpp>

#include <cstdint>
#include <string_view>

namespace gym::telemetry {

inline constexpr std::string_view sandbox_outcome_attribute = "nemo.gym.sandbox.outcome";

inline constexpr std::string_view sandbox_start_outcome_instrument =
    "gym.sandbox.start_outcome_duration_ms";
inline constexpr std::string_view sandbox_exec_outcome_instrument =
    "gym.sandbox.exec_outcome_duration_ms";
inline constexpr std::string_view sandbox_release_instrument = "gym.sandbox.release_total";
inline constexpr std::string_view sandbox_starting_instrument = "gym.sandbox.starting";

// How a start or a command ended.
namespace sandbox_outcome {
inline constexpr std::string_view ok = "ok";
inline constexpr std::string_view failed = "failed";
inline constexpr std::string_view cancelled = "cancelled";
}  // namespace sandbox_outcome

// How one attempt to release a sandbox ended.
namespace release_outcome {
inline constexpr std::string_view released = "released";
inline constexpr std::string_view not_found = "not_found";  // the provider no longer knew it
inline constexpr std::string_view failed = "failed";        // may be tried again: still held
inline constexpr std::string_view lost = "lost";            // failed, and nobody will try again
}  // namespace release_outcome

namespace detail {
GYM_TELEMETRY_API void sandbox_start_outcome(double duration_ms, std::string_view outcome,
                                             std::string_view provider) noexcept;
GYM_TELEMETRY_API void sandbox_exec_outcome(double duration_ms, std::string_view outcome,
                                            std::string_view provider) noexcept;
GYM_TELEMETRY_API void sandbox_release(std::string_view outcome,
                                       std::string_view provider) noexcept;
GYM_TELEMETRY_API void sandbox_starting(std::int64_t delta, std::string_view provider) noexcept;
}  // namespace detail

// gym.sandbox.start_outcome_duration_ms: every start, however it ended. Values: sandbox_outcome.
inline void record_sandbox_start_outcome(double duration_ms, std::string_view outcome,
                                         std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_start_outcome(duration_ms, outcome, provider);
}

// gym.sandbox.exec_outcome_duration_ms: every command, however it ended; another exit code than 0
// is `ok`, since the command ran. Values: sandbox_outcome.
inline void record_sandbox_exec_outcome(double duration_ms, std::string_view outcome,
                                        std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_exec_outcome(duration_ms, outcome, provider);
}

// gym.sandbox.release_total: one per attempt to release. Values: release_outcome.
inline void record_sandbox_release(std::string_view outcome, std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_release(outcome, provider);
}

// gym.sandbox.starting: +1 when a start begins, -1 when it ends, however it ends.
inline void record_sandbox_starting(std::int64_t delta, std::string_view provider) noexcept {
    if (detail::recording()) detail::sandbox_starting(delta, provider);
}

}  // namespace gym::telemetry
