// SPDX-License-Identifier: Apache-2.0
#include "health/check_registry.hpp"

#include "health/conversions.hpp"

#include <algorithm>

namespace gym::telemetry::health {

namespace {

void take(std::string_view id, parsed_ignored_checks& into) {
    id = trim_white_space(id);
    if (id.empty()) return;
    const auto known = std::find(health_check_ids.begin(), health_check_ids.end(), id);
    if (known != health_check_ids.end()) {
        into.checks.add(static_cast<check_id>(known - health_check_ids.begin()));
    } else {
        into.unknown.emplace_back(id);
    }
}

}  // namespace

parsed_ignored_checks parse_ignored_checks(const std::vector<std::string>& entries) {
    parsed_ignored_checks parsed;
    for (std::string_view rest : entries) {
        for (std::size_t comma = rest.find(','); comma != std::string_view::npos;
             comma = rest.find(',')) {
            take(rest.substr(0, comma), parsed);
            rest.remove_prefix(comma + 1);
        }
        take(rest, parsed);
    }
    std::sort(parsed.unknown.begin(), parsed.unknown.end());
    parsed.unknown.erase(std::unique(parsed.unknown.begin(), parsed.unknown.end()),
                         parsed.unknown.end());
    return parsed;
}

}  // namespace gym::telemetry::health
