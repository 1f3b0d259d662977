// SPDX-License-Identifier: Apache-2.0
//
// Lines of emitted records: `<kind> <value> <provider>`, the provider up to the end of the line.
#pragma once

#include "base/result.hpp"
#include "engine/generation.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::detail {

struct emitted_record {
    std::string kind;
    double value = 1;  // ms, or what is added
    std::string provider;
};

// The record of a kind with its value as text, or why it is none. `create-retry` has no value.
result<emitted_record> make_emitted(std::string_view kind, std::string_view value,
                                    std::string_view provider);

std::string line_of(const emitted_record& record);
std::optional<emitted_record> parse_emitted(std::string_view line);

// Records into a generation that need not be in force.
void record_into(engine::generation& to, engine::thread_block& block,
                 const emitted_record& what) noexcept;

}  // namespace gym::telemetry::detail
