// SPDX-License-Identifier: Apache-2.0
#include <gym/telemetry/constants.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <variant>

#include <cli/replay_summary.hpp>

namespace gymtel {
namespace {

namespace telemetry = gym::telemetry;

constexpr std::array<std::string_view, reward_range_count> range_names = {
    telemetry::reward_range::negative, telemetry::reward_range::zero,
    telemetry::reward_range::partial, telemetry::reward_range::full,
    telemetry::reward_range::above_one};

std::string text_of(const telemetry::point& p, std::string_view key) {
    for (const auto& [name, value] : p.attributes)
        if (name == key && std::holds_alternative<std::string>(value))
            return std::get<std::string>(value);
    return {};
}

bool flag_of(const telemetry::point& p, std::string_view key) {
    for (const auto& [name, value] : p.attributes)
        if (name == key && std::holds_alternative<bool>(value)) return std::get<bool>(value);
    return false;
}

std::uint64_t count_of(const telemetry::point& p) {
    const auto* value = std::get_if<std::int64_t>(&p.value);
    return value != nullptr ? static_cast<std::uint64_t>(*value) : 0;
}

void add_completed(run_summary& run, const telemetry::point& p, const std::string& name) {
    environment_summary& environment = run.environments[name];
    const std::string outcome = text_of(p, telemetry::rollout_outcome_attribute);
    const std::uint64_t n = count_of(p);
    if (outcome == telemetry::outcome::scored) environment.scored += n;
    if (outcome == telemetry::outcome::omitted) environment.omitted += n;
    if (outcome != telemetry::outcome::failed) return;
    environment.failed += n;
    run.failures.push_back({n, name, text_of(p, telemetry::failure_class_attribute),
                            text_of(p, telemetry::failure_kind_attribute),
                            text_of(p, telemetry::failure_type_attribute)});
}

void add_rewarded(run_summary& run, const telemetry::point& p, const std::string& name) {
    environment_summary& environment = run.environments[name];
    const std::string range = text_of(p, telemetry::reward_range_attribute);
    const auto at = std::find(range_names.begin(), range_names.end(), range) - range_names.begin();
    if (static_cast<std::size_t>(at) == range_names.size()) return;
    const bool masked = flag_of(p, telemetry::rollout_masked_attribute);
    (masked ? environment.masked : environment.rewards)[static_cast<std::size_t>(at)] +=
        count_of(p);
}

auto names_of(const failure_summary& f) {
    return std::tie(f.failure_class, f.kind, f.type, f.environment);
}

void sort_by_count(std::vector<failure_summary>& failures) {
    std::sort(failures.begin(), failures.end(), [](const auto& a, const auto& b) {
        return a.count != b.count ? a.count > b.count : names_of(a) < names_of(b);
    });
}

}  // namespace

std::uint64_t sum(const reward_counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void environment_summary::add(const environment_summary& other) {
    scored += other.scored;
    failed += other.failed;
    omitted += other.omitted;
    for (std::size_t i = 0; i < reward_range_count; ++i) {
        rewards[i] += other.rewards[i];
        masked[i] += other.masked[i];
    }
    tokens.input += other.tokens.input;
    tokens.output += other.tokens.output;
    tokens.input_unknown += other.tokens.input_unknown;
    tokens.output_unknown += other.tokens.output_unknown;
}

environment_summary run_summary::total() const {
    environment_summary all;
    for (const auto& [name, environment] : environments) all.add(environment);
    return all;
}

std::vector<failure_summary> run_summary::total_failures() const {
    std::vector<failure_summary> all = failures;
    for (failure_summary& f : all) f.environment.clear();
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return names_of(a) < names_of(b); });
    std::vector<failure_summary> merged;
    for (failure_summary& f : all) {
        if (!merged.empty() && names_of(merged.back()) == names_of(f))
            merged.back().count += f.count;
        else
            merged.push_back(std::move(f));
    }
    sort_by_count(merged);
    return merged;
}

run_summary summarize(const telemetry::collection& collected, const tokens_by_environment& tokens) {
    run_summary run;
    for (const telemetry::point& p : collected.points) {
        const std::string name = text_of(p, telemetry::dispatch_name_attribute);
        if (p.instrument == telemetry::rollout_completed_instrument) add_completed(run, p, name);
        if (p.instrument == telemetry::rollout_rewarded_instrument) add_rewarded(run, p, name);
    }
    // A name that the recorders had to change keeps its tokens under its own.
    for (const auto& [name, sums] : tokens) run.environments[name].tokens = sums;
    sort_by_count(run.failures);
    return run;
}

}  // namespace gymtel
