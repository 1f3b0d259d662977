// SPDX-License-Identifier: Apache-2.0
//
// Environment variables, and what their texts mean. Reads only: setenv is unsafe once threads run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

using variable_map = std::map<std::string, std::string, std::less<>>;

// The variables of this process, or those of a map.
class environment {
public:
    // Nothing is set.
    environment() : variables_(variable_map{}) {}
    explicit environment(variable_map variables) : variables_(std::move(variables)) {}
    // Each look-up asks the process anew. Not while another thread calls setenv.
    static environment of_process();

    // The value without the white space around it; a blank variable is an unset one.
    std::optional<std::string> get(std::string_view name) const;
    bool is_set(std::string_view name) const { return get(name).has_value(); }

private:
    std::optional<variable_map> variables_;  // none: the process's own
};

// Without the white space (space, \t, \n, \v, \f, \r) at both ends.
std::string_view trim(std::string_view text) noexcept;

// ASCII only, whatever the locale is.
std::string to_lower(std::string_view text);

// 1, true, yes, on and 0, false, no, off in any case; none for any other text.
std::optional<bool> parse_boolean(std::string_view text) noexcept;

// A whole number in decimal, with an optional minus. Nothing else may stand beside it but white
// space around it: "10s", "1e3", "0x10", "+5" and "5.0" are none, nor is what int64 cannot hold.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;

// A finite decimal number ("0.5", "1e3"), whatever the locale is.
std::optional<double> parse_number(std::string_view text) noexcept;

// The items of a comma list, trimmed, blank ones left out.
std::vector<std::string> parse_list(std::string_view text);

// The items with the text between each two of them.
std::string join(const std::vector<std::string>& items, std::string_view between = ",");

}  // namespace gym::telemetry::detail
