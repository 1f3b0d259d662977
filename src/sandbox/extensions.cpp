// SPDX-License-Identifier: Apache-2.0
#include "instruments/record.hpp"

#include <gym/telemetry/sandbox_extensions.hpp>

namespace gym::telemetry::detail {

using instruments::id_of;

void sandbox_start_outcome(double duration_ms, std::string_view outcome,
                           std::string_view provider) noexcept {
    instruments::record<id_of(sandbox_start_outcome_instrument)>(duration_ms, outcome, provider);
}

void sandbox_exec_outcome(double duration_ms, std::string_view outcome,
                          std::string_view provider) noexcept {
    instruments::record<id_of(sandbox_exec_outcome_instrument)>(duration_ms, outcome, provider);
}

void sandbox_release(std::string_view outcome, std::string_view provider) noexcept {
    instruments::count<id_of(sandbox_release_instrument)>(outcome, provider);
}

void sandbox_starting(std::int64_t delta, std::string_view provider) noexcept {
    instruments::add<id_of(sandbox_starting_instrument)>(delta, provider);
}

}  // namespace gym::telemetry::detail
