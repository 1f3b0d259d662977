// SPDX-License-Identifier: Apache-2.0
//
// THE table of settings: a row joins the key of the configuration block, the variable, the member
// of `options` and the member of `settings`. Resolving, reading a block and handing settings to
// child processes all walk it, so a new setting is one row here (and one in docs/configuration.md,
// which a test checks).
#pragma once

#include <gym/telemetry/options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace gym::telemetry::detail {

template <class T>
struct setting_row {
    // In the block. A dot stands for a mapping in a mapping.
    std::string_view key;
    std::optional<T> options::* block;
    // Its value in `settings{}` is the default.
    T settings::* effective;
    // An OpenTelemetry variable that stands instead of the two with prefixes; empty: these.
    std::string_view variable = {};
};

template <class T, class... More>
setting_row(std::string_view, std::optional<T> options::*, T settings::*, More...)
    -> setting_row<T>;

inline constexpr auto setting_table = std::tuple{
    setting_row{"enabled", &options::enabled, &settings::enabled},
    setting_row{"service_name", &options::service_name, &settings::service_name,
                "OTEL_SERVICE_NAME"},
    setting_row{"service_name_per_server", &options::service_name_per_server,
                &settings::service_name_per_server},
    setting_row{"span_groups", &options::span_groups, &settings::span_groups},
    setting_row{"traces_enabled", &options::traces_enabled, &settings::traces_enabled},
    setting_row{"metrics_enabled", &options::metrics_enabled, &settings::metrics_enabled},
    setting_row{"logs_enabled", &options::logs_enabled, &settings::logs_enabled},
    setting_row{"exporter", &options::exporter, &settings::exporter},
    setting_row{"otlp_endpoint", &options::otlp_endpoint, &settings::otlp_endpoint,
                "OTEL_EXPORTER_OTLP_ENDPOINT"},
    setting_row{"otlp_protocol", &options::otlp_protocol, &settings::otlp_protocol,
                "OTEL_EXPORTER_OTLP_PROTOCOL"},
    setting_row{"otlp_headers", &options::otlp_headers, &settings::otlp_headers,
                "OTEL_EXPORTER_OTLP_HEADERS"},
    setting_row{"instrument_aiohttp", &options::instrument_aiohttp, &settings::instrument_aiohttp},
    setting_row{"memory_profiling.enabled", &options::memory_profiling_enabled,
                &settings::memory_profiling_enabled},
    setting_row{"memory_profiling.interval_seconds", &options::memory_profiling_interval_seconds,
                &settings::memory_profiling_interval_seconds},
    setting_row{"health_check_ignored_checks", &options::health_check_ignored_checks,
                &settings::health_check_ignored_checks},
    setting_row{"cardinality_limit", &options::cardinality_limit, &settings::cardinality_limit},
    setting_row{"shutdown_timeout_ms", &options::shutdown_timeout_ms,
                &settings::shutdown_timeout_ms},
    setting_row{"file", &options::file, &settings::file},
    setting_row{"spool", &options::spool, &settings::spool},
    setting_row{"ledger", &options::ledger, &settings::ledger},
    setting_row{"emitted", &options::emitted, &settings::emitted},
    setting_row{"terminate_handling", &options::terminate_handling, &settings::terminate_handling},
    setting_row{"signal_handling", &options::signal_handling, &settings::signal_handling},
};

// The one key that has no place in the table: its default is made, not written down.
inline constexpr std::string_view run_id_key = "run_id";

template <class Visit>
void for_each_setting(Visit&& visit) {
    std::apply([&visit](const auto&... row) { (visit(row), ...); }, setting_table);
}

inline constexpr std::string_view gym_prefix = "NEMO_GYM_OTEL_";
inline constexpr std::string_view lens_prefix = "NEMO_LENS_";

// `memory_profiling.enabled` with a prefix is `<prefix>MEMORY_PROFILING_ENABLED`.
std::string variable_of(std::string_view prefix, std::string_view key);

}  // namespace gym::telemetry::detail
