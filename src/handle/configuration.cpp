// SPDX-License-Identifier: Apache-2.0
#include "handle/configuration.hpp"

#include "base/clock.hpp"
#include "base/diagnostics.hpp"
#include "base/health_check_ids.hpp"
#include "handle/otlp_settings.hpp"
#include "handle/setting_table.hpp"
#include "handle/setting_value.hpp"
#include "trace/span_groups.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/random.h>

namespace gym::telemetry::detail {
namespace {

struct given_variable {
    std::string name;
    std::string text;
    bool is_lens = false;
};

// The variable that decides over a key, if one is set.
std::optional<given_variable> find_variable(const environment& variables, std::string_view key,
                                            std::string_view standard = {}) {
    const std::string own = standard.empty() ? variable_of(gym_prefix, key) : std::string(standard);
    if (std::optional<std::string> text = variables.get(own)) return given_variable{own, *text};
    if (!standard.empty()) return std::nullopt;
    const std::string lens = variable_of(lens_prefix, key);
    if (std::optional<std::string> text = variables.get(lens)) {
        return given_variable{lens, *text, true};
    }
    return std::nullopt;
}

bool same(bool a, bool b) {
    return a == b;
}
bool same(std::int64_t a, std::int64_t b) {
    return a == b;
}
bool same(double a, double b) {
    return a == b;
}
bool same(const std::string& a, const std::string& b) {
    return trim(a) == trim(b);
}
bool same(std::vector<std::string> a, std::vector<std::string> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
}

// The block was written by somebody who expects it to count; NEMO_LENS_ variables are easily left
// over from another tool. Those of our own prefix are meant for this and win in silence.
template <class T>
void complain_when_overruled(const given_variable& variable, const T& value, std::string_view key,
                             const std::optional<T>& in_block) {
    if (!variable.is_lens || !in_block || same(*in_block, value)) return;
    const std::string block_text = text_of_value(*in_block);
    diagnose("config.overruled",
             std::string(key) + ": " + shown(block_text) + " of the configuration block loses to " +
                 variable.name + " with " + shown(variable.text),
             variable.name + '=' + variable.text + '\n' + block_text);
}

template <class T>
T unreadable(std::string_view name, std::string_view text, T otherwise) {
    // Whoever writes ENABLED=flase did not ask for telemetry, so the default does not matter here.
    if constexpr (std::is_same_v<T, bool>) otherwise = false;
    const std::string used_instead = std::is_same_v<T, bool> ? "false" : text_of_value(otherwise);
    complain_unreadable(name, text, kind_of_value<T>(), used_instead);
    return otherwise;
}

// What the block says, if that is something.
template <class T>
std::optional<T> value_in_block(std::string_view key, const std::optional<T>& in_block,
                                const T& otherwise) {
    if constexpr (std::is_same_v<T, std::string>) {
        if (in_block && trim(*in_block).empty()) return std::nullopt;
    } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        const std::string text = in_block ? text_of_value(*in_block) : std::string();
        if (in_block && !value_of_text<T>(text)) return unreadable(key, text, otherwise);
    }
    return in_block;
}

template <class T>
T resolve_row(const setting_row<T>& row, const options& block, const environment& variables) {
    T otherwise = settings{}.*row.effective;
    const std::optional<T>& in_block = block.*row.block;
    if (const auto variable = find_variable(variables, row.key, row.variable)) {
        std::optional<T> value = value_of_text<T>(variable->text);
        if (!value) return unreadable(variable->name, variable->text, std::move(otherwise));
        complain_when_overruled(*variable, *value, row.key, in_block);
        return *std::move(value);
    }
    return value_in_block(row.key, in_block, otherwise).value_or(std::move(otherwise));
}

// The name under which a setting was given, for complaints about what is in it.
std::string origin(const environment& variables, std::string_view key) {
    const auto variable = find_variable(variables, key);
    return variable ? variable->name : std::string(key);
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

// The items that `is_known`, in order and without repeats; the others go to `unknown`.
template <class Predicate>
std::vector<std::string> known_items(const std::vector<std::string>& items, Predicate is_known,
                                     std::vector<std::string>& unknown) {
    std::vector<std::string> known;
    for (const std::string& item : items) {
        std::vector<std::string>& list = is_known(item) ? known : unknown;
        if (!contains(list, item)) list.push_back(item);
    }
    return known;
}

bool is_exporter(std::string_view name) {
    constexpr std::array<std::string_view, 4> exporters{"otlp", "console", "file", "memory"};
    return std::find(exporters.begin(), exporters.end(), name) != exporters.end();
}

void resolve_exporters(settings& resolved, const environment& variables) {
    std::vector<std::string> unknown;
    const auto is_known = [](const std::string& name) { return is_exporter(to_lower(name)); };
    resolved.exporters.clear();
    for (const std::string& name : known_items(parse_list(resolved.exporter), is_known, unknown)) {
        const std::string lowered = to_lower(name);
        if (!contains(resolved.exporters, lowered)) resolved.exporters.push_back(lowered);
    }
    if (unknown.empty() && !resolved.exporters.empty()) return;
    const std::string instead = resolved.exporters.empty()
                                    ? "telemetry stays off"
                                    : join(resolved.exporters, ", ") + " is used";
    complain_about(origin(variables, "exporter"), resolved.exporter,
                   "there is no exporter " + shown(join(unknown, ", ")) +
                       " (but otlp, console, file); " + instead);
}

void resolve_ignored_checks(settings& resolved, const environment& variables) {
    std::vector<std::string> unknown;
    resolved.health_check_ignored_checks =
        known_items(resolved.health_check_ignored_checks, is_health_check_id, unknown);
    if (unknown.empty()) return;
    const std::string names = join(unknown, ", ");
    complain_about(origin(variables, "health_check_ignored_checks"), names,
                   "there is no health check " + shown(names) + "; the other ones are ignored");
}

void check_span_groups(const settings& resolved, const environment& variables) {
    const std::vector<std::string> unknown = parse_span_groups(resolved.span_groups).unknown;
    if (unknown.empty()) return;
    const std::string names = join(unknown, ", ");
    complain_about(origin(variables, "span_groups"), names,
                   "there is no span group or preset " + shown(names) + "; the rest applies");
}

// `none` switches a signal off. Which exporters there are is ours to say: EXPORTER.
bool is_signal_off(const environment& variables, std::string_view name) {
    const std::optional<std::string> given = variables.get(name);
    if (!given) return false;
    const std::string lowered = to_lower(*given);
    if (lowered == "none") return true;
    if (!is_exporter(lowered) && lowered != "logging") {
        complain_about(name, *given,
                       shown(*given) +
                           " has no effect; only none has, exporters are chosen with "
                           "NEMO_GYM_OTEL_EXPORTER");
    }
    return false;
}

// Booleans of OpenTelemetry's own are true only as `true`; its specification forbids more.
bool is_sdk_disabled(const environment& variables) {
    constexpr std::string_view name = "OTEL_SDK_DISABLED";
    const std::optional<std::string> given = variables.get(name);
    if (!given) return false;
    const std::string lowered = to_lower(*given);
    if (lowered != "true" && lowered != "false") {
        complain_unreadable(name, *given, "true or false", "false");
    }
    return lowered == "true";
}

std::int64_t resolve_export_interval_ms(const environment& variables) {
    constexpr std::string_view name = "OTEL_METRIC_EXPORT_INTERVAL";
    const std::int64_t otherwise = settings{}.export_interval_ms;
    const std::optional<std::string> given = variables.get(name);
    if (!given) return otherwise;
    const std::optional<std::int64_t> value = value_of_text<std::int64_t>(*given);
    if (value && *value > 0) return *value;
    complain_unreadable(name, *given, "a whole number of milliseconds above 0",
                        text_of_value(otherwise));
    return otherwise;
}

std::string resolve_temporality(const environment& variables) {
    constexpr std::string_view name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
    std::string otherwise = settings{}.temporality_preference;
    const std::optional<std::string> given = variables.get(name);
    if (!given) return otherwise;
    std::string lowered = to_lower(*given);
    if (lowered == "cumulative" || lowered == "delta" || lowered == "lowmemory") return lowered;
    complain_unreadable(name, *given, "a temporality (cumulative, delta, lowmemory)", otherwise);
    return otherwise;
}

std::optional<std::string> resolve_run_id(const options& block, const environment& variables) {
    const std::optional<std::string> in_block =
        value_in_block(run_id_key, block.run_id, std::string());
    if (const auto variable = find_variable(variables, run_id_key)) {
        complain_when_overruled(*variable, variable->text, run_id_key, in_block);
        return variable->text;
    }
    if (in_block) return std::string(trim(*in_block));
    if (std::optional<std::string> job = variables.get("SLURM_JOB_ID")) return job;
    return made_run_id();
}

// A text as it may stand in OTEL_RESOURCE_ATTRIBUTES.
std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > 0x20 && byte < 0x7f && c != '%' && c != ',' && c != '=') {
            result += c;
        } else {
            result += '%';
            result += digits[byte >> 4];
            result += digits[byte & 15];
        }
    }
    return result;
}

// The variable first: of two values of a key the first is taken.
std::string resource_text(const options& block, const environment& variables) {
    std::vector<std::string> items;
    if (auto given = variables.get("OTEL_RESOURCE_ATTRIBUTES")) items.push_back(*std::move(given));
    for (const auto& [key, value] : block.resource_attributes)
        items.push_back(percent_encoded(key) + '=' + percent_encoded(value));
    return join(items);
}

settings resolve_in(const options& block, const environment& variables, bool own_exporters) {
    settings resolved;
    for_each_setting(
        [&](const auto& row) { resolved.*row.effective = resolve_row(row, block, variables); });
    resolved.server_name = block.server_name.value_or("");
    resolved.extra = block.extra;
    resolved.memory_readers = block.memory_readers;
    resolved.memory_temporality = block.memory_temporality;
    resolved.resource_attributes = resource_text(block, variables);

    if (is_signal_off(variables, "OTEL_METRICS_EXPORTER")) resolved.metrics_enabled = false;
    if (is_signal_off(variables, "OTEL_TRACES_EXPORTER")) resolved.traces_enabled = false;
    if (is_signal_off(variables, "OTEL_LOGS_EXPORTER")) resolved.logs_enabled = false;
    resolved.export_interval_ms = resolve_export_interval_ms(variables);
    resolved.temporality_preference = resolve_temporality(variables);
    check_span_groups(resolved, variables);
    resolve_ignored_checks(resolved, variables);
    if (own_exporters) resolve_exporters(resolved, variables);

    const bool wanted = resolved.enabled && !is_sdk_disabled(variables) &&
                        (resolved.metrics_enabled || resolved.traces_enabled);
    const auto otlp = std::find(resolved.exporters.begin(), resolved.exporters.end(), "otlp");
    resolve_otlp(resolved, block, variables, wanted && otlp != resolved.exporters.end());
    const bool reachable = (resolved.metrics_enabled && !resolved.otlp_metrics.endpoint.empty()) ||
                           (resolved.traces_enabled && !resolved.otlp_traces.endpoint.empty());
    if (otlp != resolved.exporters.end() && !reachable) resolved.exporters.erase(otlp);

    resolved.telemetry_on = wanted && (!own_exporters || !resolved.exporters.empty());
    if (resolved.telemetry_on) resolved.run_id = resolve_run_id(block, variables);
    return resolved;
}

}  // namespace

settings resolve_settings(const options& block, const environment& variables, bool own_exporters) {
    return resolve_in(block, block.ignore_environment ? environment() : variables, own_exporters);
}

service_identity service_identity_of(const settings& resolved) {
    if (!resolved.service_name_per_server || resolved.server_name.empty()) {
        return {.name = resolved.service_name, .group = {}};
    }
    return {.name = resolved.service_name + '/' + resolved.server_name,
            .group = resolved.service_name};
}

const std::string& made_run_id() {
    // Never destroyed: a last export may ask for it while the process exits.
    static const std::string& id = *new std::string([] {
        constexpr std::string_view digits = "0123456789abcdef";
        std::array<unsigned char, 6> bytes{};
        // So few bytes are never cut short. Without the system's random numbers (an old sandbox
        // that forbids the call) the time tells two runs apart.
        if (getrandom(bytes.data(), bytes.size(), 0) < 0) {
            const std::int64_t now_ns = wall_now_ns();
            std::memcpy(bytes.data(), &now_ns, bytes.size());
        }
        std::string text;
        for (const unsigned char byte : bytes) {
            text += digits[byte >> 4];
            text += digits[byte & 0x0F];
        }
        return text;
    }());
    return id;
}

}  // namespace gym::telemetry::detail
