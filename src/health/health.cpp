// SPDX-License-Identifier: Apache-2.0
#include "health/check_registry.hpp"
#include "health/row_evaluation.hpp"
#include "health/row_reader.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/health.hpp>
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/recorders.hpp>

#include <cstdint>
#include <memory>
#include <new>

namespace gym::telemetry {

namespace {

using namespace health;

// One a thread: its buffers are worth keeping from row to row.
struct live_evaluator {
    row_reader reader;
    row_evaluator evaluator;
    // The configured checks to ignore, as of this generation of the handle.
    std::uint64_t generation = 0;
    check_set configured;

    // Null for a text that is no JSON object.
    const row_evaluation* evaluate(std::string_view row_json, check_set ignored) {
        if (reader.read(trim_row(row_json), read_rules::wide) != read_outcome::object)
            return nullptr;
        evaluator.ignore(ignored);
        return &evaluator.evaluate(row_evaluator::fields_of(reader.root()));
    }

    // The settings are copied under a lock, so they are looked at once a generation.
    check_set configured_checks() {
        const std::uint64_t now = detail::control.record.load(std::memory_order_relaxed);
        if (now != generation) {
            configured = parse_ignored_checks(
                             get_telemetry().effective_settings().health_check_ignored_checks)
                             .checks;
            generation = now;
        }
        return configured;
    }
};

live_evaluator& this_thread_evaluator() {
    // On the heap: all thread-local storage of the library has to fit what a running process has
    // to spare for a library that it loads.
    thread_local const std::unique_ptr<live_evaluator> evaluator =
        std::make_unique<live_evaluator>();
    return *evaluator;
}

std::vector<std::string_view> flagged(const row_evaluation& evaluation) {
    std::vector<std::string_view> checks;
    check_set seen;
    for (const row_finding& finding : evaluation.findings) {
        if (!seen.has(finding.check)) checks.push_back(name_of(finding.check));
        seen.add(finding.check);
    }
    return checks;
}

}  // namespace

std::vector<std::string> unknown_health_checks(const std::vector<std::string>& ignored_checks) {
    return parse_ignored_checks(ignored_checks).unknown;
}

std::vector<std::string_view> health_result::flagged_checks() const {
    std::vector<std::string_view> checks;
    for (std::string_view id : health_check_ids) {
        for (const health_finding& finding : findings) {
            if (finding.check != id) continue;
            checks.push_back(id);
            break;
        }
    }
    return checks;
}

std::optional<health_result> evaluate_rollout(std::string_view row_json,
                                              const health_options& options) {
    const row_evaluation* evaluation = this_thread_evaluator().evaluate(
        row_json, parse_ignored_checks(options.ignored_checks).checks);
    if (evaluation == nullptr) return std::nullopt;
    health_result result{.verdict = name_of(evaluation->verdict), .findings = {}, .unobserved = {}};
    for (const row_finding& finding : evaluation->findings)
        result.findings.push_back({name_of(finding.check), finding.locator, finding.detail});
    for (std::size_t i = 0; i < rollout_check_count; ++i)
        if (evaluation->unobserved.has(static_cast<check_id>(i)))
            result.unobserved.push_back(health_check_ids[i]);
    return result;
}

void detail::row_health(std::string_view row_json, std::string_view outcome) noexcept {
    if (outcome == outcome::omitted) return;
    try {
        live_evaluator& live = this_thread_evaluator();
        const row_evaluation* evaluation = live.evaluate(row_json, live.configured_checks());
        if (evaluation == nullptr) return;
        record_rollout_health(name_of(evaluation->verdict), outcome, flagged(*evaluation));
    } catch (const std::bad_alloc&) {
        // Without memory for a verdict there is none; the gym goes on.
        return;
    }
}

}  // namespace gym::telemetry
