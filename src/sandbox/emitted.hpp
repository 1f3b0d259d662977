// SPDX-License-Identifier: Apache-2.0
//
// Lines of emitted records: `<kind> <value> <provider>`, the provider up to the end of the line.
#pragma once

#include "base/environment.hpp"
#include "base/result.hpp"

#include <gym/telemetry/emitted.hpp>

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
void record(const emitted_record& what) noexcept;

std::string emitted_file_of(const environment& variables);

// Adds a line, with one write, to a file (0600) that is made where it is missing.
result<bool> append_emitted(const std::string& file, const emitted_record& record);

}  // namespace gym::telemetry::detail
