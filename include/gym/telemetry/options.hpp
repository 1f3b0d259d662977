// SPDX-License-Identifier: Apache-2.0
//
// Configuration. Source of the rules: NeMo Gym's configuration page, docs/configuration.md here.
#pragma once

#include <gym/telemetry/collection.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gym::telemetry {

// The configuration block: what `init` is given. What is not set here falls back to the default;
// an environment variable (NEMO_GYM_OTEL_<KEY>, then NEMO_LENS_<KEY>) wins over what is set.
//
//     gym::telemetry::init({.enabled = true, .service_name = "my-gym", .span_groups = "all"});
struct options {
    // Each member has an initialiser, so that those left out are no warning.
    std::optional<bool> enabled{};                   // ENABLED, false
    std::optional<std::string> service_name{};       // OTEL_SERVICE_NAME, nemo-gym
    std::optional<bool> service_name_per_server{};   // SERVICE_NAME_PER_SERVER, true
    std::optional<std::string> server_name{};        // this process's server; none in the driver
    std::optional<std::string> span_groups{};        // SPAN_GROUPS, default
    std::optional<bool> traces_enabled{};            // TRACES_ENABLED, true
    std::optional<bool> metrics_enabled{};           // METRICS_ENABLED, true
    std::optional<bool> logs_enabled{};              // LOGS_ENABLED, false
    std::optional<std::string> exporter{};           // EXPORTER, otlp; comma list of otlp, console,
                                                     // file, memory (for tests: see collect)
    std::optional<std::string> otlp_endpoint{};      // OTEL_EXPORTER_OTLP_ENDPOINT
    std::optional<std::string> otlp_protocol{};      // OTEL_EXPORTER_OTLP_PROTOCOL, http/protobuf
    std::optional<std::string> otlp_headers{};       // OTEL_EXPORTER_OTLP_HEADERS
    std::optional<bool> instrument_aiohttp{};        // INSTRUMENT_AIOHTTP, true; Python only
    std::optional<std::string> run_id{};             // RUN_ID, else SLURM_JOB_ID, else made
    std::optional<bool> memory_profiling_enabled{};  // kept; no effect in C++
    std::optional<double> memory_profiling_interval_seconds{};  // kept; no effect in C++
    std::optional<std::vector<std::string>> health_check_ignored_checks{};
    std::optional<std::int64_t> cardinality_limit{};    // series an instrument, 2000; 0 is no limit
    std::optional<std::int64_t> shutdown_timeout_ms{};  // 5000
    std::optional<std::string> file{};                  // of the file exporter, gym-telemetry.jsonl
    std::optional<std::string> spool{};                 // folder, none
    std::optional<std::string> ledger{};                // folder, none
    std::optional<std::string> emitted{};               // file, or true; none (see emitted.hpp)
    std::optional<bool> terminate_handling{};           // flush at std::terminate, off
    std::optional<bool> signal_handling{};              // flush at SIGTERM, off

    // Keys that this version does not know: kept, handed on, otherwise ignored. Values are JSON.
    std::vector<std::pair<std::string, std::string>> extra{};

    // Further attributes of the resource, beside OTEL_RESOURCE_ATTRIBUTES, which wins.
    std::vector<std::pair<std::string, std::string>> resource_attributes{};

    // Takes nothing from the environment: what is not set here is the default.
    bool ignore_environment = false;

    // Readers of the memory exporter, each of which sees everything (tests, replay).
    int memory_readers = 1;
    temporality memory_temporality = temporality::cumulative;
};

// Where and how one signal goes over OTLP: its own OTEL_EXPORTER_OTLP_METRICS_* (_TRACES_*)
// variable where that is set, else the general one.
struct otlp_signal {
    std::string endpoint;  // the whole URL, path included; empty: the signal is not sent over OTLP
    std::string protocol = "http/protobuf";  // or grpc, when the bridge library is loaded
    std::string headers;                     // as they stand: a comma list, percent-encoded
    std::string compression = "none";        // or gzip
    std::string certificate;                 // of the server's authority, a file
    std::string client_certificate;
    std::string client_key;
    bool insecure = false;  // of a gRPC endpoint without a scheme: no TLS
    std::int64_t timeout_ms = 10000;
};

// Every setting as it was resolved from environment, block and defaults.
struct settings {
    bool enabled = false;
    std::string service_name = "nemo-gym";  // the group's name; the resource appends /<server>
    bool service_name_per_server = true;
    std::string server_name;
    std::string span_groups = "default";
    bool traces_enabled = true;
    bool metrics_enabled = true;
    bool logs_enabled = false;
    std::string exporter = "otlp";
    std::vector<std::string> exporters;  // the known ones of `exporter`, in order, without repeats
    std::string otlp_endpoint = "http://localhost:4318";
    std::string otlp_metrics_endpoint;  // the signal's own, as it stands; empty: <endpoint>/v1/...
    std::string otlp_traces_endpoint;
    std::string otlp_protocol = "http/protobuf";
    std::string otlp_headers;
    std::string otlp_compression = "none";  // none or gzip
    std::string otlp_certificate;           // of the server's authority, a file
    std::string otlp_client_certificate;
    std::string otlp_client_key;
    otlp_signal otlp_metrics;  // what an export of that signal goes by
    otlp_signal otlp_traces;
    bool instrument_aiohttp = true;
    std::optional<std::string> run_id;
    bool memory_profiling_enabled = false;
    double memory_profiling_interval_seconds = 1.0;
    std::vector<std::string> health_check_ignored_checks;
    std::int64_t cardinality_limit = 2000;
    std::int64_t shutdown_timeout_ms = 5000;
    std::int64_t otlp_timeout_ms = 10000;  // in force for metrics
    std::int64_t export_interval_ms = 60000;
    std::string temporality_preference = "cumulative";  // cumulative, delta, lowmemory
    std::string file = "gym-telemetry.jsonl";
    std::string spool;
    std::string ledger;
    std::string emitted;
    bool terminate_handling = false;
    bool signal_handling = false;
    std::vector<std::pair<std::string, std::string>> extra;
    std::string resource_attributes;  // OTEL_RESOURCE_ATTRIBUTES as it stands, then the options'
    int memory_readers = 1;
    temporality memory_temporality = temporality::cumulative;
    // Whether init with these settings exports: enabled, metrics or traces on, and at least one
    // exporter that can be built.
    bool telemetry_on = false;
};

}  // namespace gym::telemetry
