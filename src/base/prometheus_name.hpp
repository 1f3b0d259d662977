// SPDX-License-Identifier: Apache-2.0
//
// How Prometheus spells the names of OTLP metrics and attributes. Source: the OpenTelemetry
// specification's page on Prometheus compatibility, and the translator that Prometheus and the
// Collector share (github.com/prometheus/otlptranslator), with Prometheus's defaults.
#pragma once

#include <gym/telemetry/collection.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

enum class prometheus_suffixes : bool {
    none,           // UnderscoreEscapingWithoutSuffixes: what our own /metrics and dashboards use
    unit_and_type,  // UnderscoreEscapingWithSuffixes: the default of Prometheus
};

// The name under which Prometheus shows a metric, without the _bucket, _sum and _count of a
// histogram. Empty when nothing of the name can be kept.
std::string prometheus_name(std::string_view name, std::string_view unit, instrument_kind kind,
                            prometheus_suffixes suffixes);

// The name of a label for an attribute's key; empty when nothing of the key can be kept.
std::string prometheus_label_name(std::string_view key);

// The labels, in the order of their names. The values of keys that get the same name are joined by
// `;` in the lexicographic order of the keys; what gets no name is left out.
std::vector<std::pair<std::string, std::string>> prometheus_labels(
    std::span<const std::pair<std::string, std::string>> attributes);

}  // namespace gym::telemetry::detail
