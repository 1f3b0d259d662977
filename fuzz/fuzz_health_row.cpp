// SPDX-License-Identifier: Apache-2.0
//
// One row, evaluated in the ways that must agree: again, with white space around it, and with each
// check ignored. The corpus is replayed by tests/unit/health in every build.
#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/health.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace fuzz_health_row {

using gym::telemetry::evaluate_rollout;
using gym::telemetry::health_check_ids;
using gym::telemetry::health_finding;
using gym::telemetry::health_result;

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

inline std::string text_of(const std::optional<health_result>& result) {
    if (!result) return "no rollout";
    std::string text(result->verdict);
    for (const health_finding& f : result->findings)
        text.append("\n").append(f.check).append(f.locator).append(f.detail);
    for (std::string_view id : result->unobserved) text.append("\n-").append(id);
    return text;
}

// What is found and not observed without a check is what is found and not observed with it, less
// what is the check's own.
inline void ignore_one(std::string_view row, const health_result& all, std::string_view ignored) {
    const auto some = evaluate_rollout(row, {.ignored_checks = {std::string(ignored)}});
    require(some.has_value(), "an ignored check does not make a row unreadable");
    std::size_t expected = 0;
    for (const health_finding& f : all.findings) {
        const bool raised_by_it =
            f.detail.find("\"failed_check\":\"" + std::string(ignored)) != std::string::npos;
        expected += f.check != ignored && !raised_by_it ? 1 : 0;
    }
    require(some->findings.size() == expected, "an ignored check has no finding, others all");
    require(std::find(some->unobserved.begin(), some->unobserved.end(), ignored) ==
                some->unobserved.end(),
            "an ignored check is never unobserved");
}

inline void run(std::string_view row) {
    const auto result = evaluate_rollout(row);
    const std::string text = text_of(result);
    require(text_of(evaluate_rollout(row)) == text, "a row is evaluated alike twice");
    require(text_of(evaluate_rollout(" \v" + std::string(row) + "\r\n")) == text,
            "white space around a row means nothing");
    if (!result) return;
    const bool healthy = result->findings.empty() && result->unobserved.empty();
    require((result->verdict == gym::telemetry::verdict::healthy) == healthy,
            "healthy is: nothing found, all observed");
    require((result->verdict == gym::telemetry::verdict::unhealthy) == !result->findings.empty(),
            "unhealthy is: something found");
    for (std::string_view id : health_check_ids) ignore_one(row, *result, id);
}

}  // namespace fuzz_health_row

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz_health_row::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
