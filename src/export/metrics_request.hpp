// SPDX-License-Identifier: Apache-2.0
//
// A collection as an OTLP request.
#pragma once

#include "engine/snapshot.hpp"
#include "otlp/backward_writer.hpp"
#include "otlp/points.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gym::telemetry::detail {

// Encoded once, in front of every request: see otlp/envelope.hpp.
struct request_envelope {
    std::string resource;
    std::string scope;
};

// Of a sender with these attributes, and of the library's scope.
request_envelope make_envelope(const std::vector<std::pair<std::string, std::string>>& resource);

struct request_summary {
    std::size_t points = 0;      // all
    std::size_t gym_points = 0;  // without the self-metrics
    bool has_delta = false;      // a delta point that is no self-metric
    // Changes when a cumulative point changes that is no self-metric; its times do not matter.
    std::uint64_t fingerprint = 0;
};

// Keeps what it needs between two requests: the buffer, and the constant parts of histogram points.
class metrics_request_writer {
public:
    explicit metrics_request_writer(request_envelope envelope) : envelope_(std::move(envelope)) {}

    // An ExportMetricsServiceRequest; points to memory of the writer until the next call. Its
    // bytes are empty when there are no points.
    std::string_view write(const engine::snapshot& from, request_summary& summary);

private:
    void write_metric(const engine::metric_snapshot& metric, std::int64_t time_ns,
                      request_summary& summary);
    // Each returns a fingerprint of the points' series and values.
    std::uint64_t write_numbers(const engine::metric_snapshot& metric, std::int64_t time_ns);
    std::uint64_t write_histograms(const engine::metric_snapshot& metric, std::int64_t time_ns);

    request_envelope envelope_;
    otlp::backward_writer to_;
    std::vector<otlp::histogram_writer> histograms_;  // one a histogram row, in the table's order
    std::size_t histogram_ = 0;
};

}  // namespace gym::telemetry::detail
