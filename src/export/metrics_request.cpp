// SPDX-License-Identifier: Apache-2.0
#include "export/metrics_request.hpp"

#include "otlp/envelope.hpp"

#include <bit>
#include <ranges>

namespace gym::telemetry::detail {

namespace {

namespace field = otlp::field;

bool has_points(const engine::metric_snapshot& metric) noexcept {
    return !metric.numbers.empty() || !metric.histograms.empty();
}

bool is_real(const engine::instrument_row& row) noexcept {
    return row.how == engine::aggregation::ratio || row.how == engine::aggregation::last_value;
}

// Order-dependent, so that a value that moves from one series to another changes the result.
void mix(std::uint64_t& fingerprint, std::uint64_t value) noexcept {
    fingerprint = (std::rotl(fingerprint, 23) ^ value) * 0x9e3779b97f4a7c15u;
}

void write_temporality(otlp::backward_writer& to, temporality time) {
    const auto value = time == temporality::delta ? otlp::aggregation_temporality::delta
                                                  : otlp::aggregation_temporality::cumulative;
    to.number(field::data::temporality, static_cast<std::uint64_t>(value));
}

}  // namespace

request_envelope make_envelope(const std::vector<std::pair<std::string, std::string>>& resource) {
    return {otlp::encode_resource(resource),
            otlp::encode_scope("gym.telemetry", GYM_TELEMETRY_VERSION)};
}

std::string_view metrics_request_writer::write(const engine::snapshot& from,
                                               request_summary& summary) {
    to_.clear();
    summary = {};
    if (histograms_.empty())
        for (const engine::metric_snapshot& metric : from.metrics)
            if (metric.instrument->how == engine::aggregation::histogram)
                histograms_.emplace_back(metric.instrument->bounds);
    histogram_ = histograms_.size();
    for (const engine::metric_snapshot& metric : from.metrics | std::views::reverse) {
        if (metric.instrument->how == engine::aggregation::histogram) --histogram_;
        if (has_points(metric)) write_metric(metric, from.time_ns, summary);
    }
    if (summary.points != 0) otlp::close_request(to_, envelope_.resource, envelope_.scope);
    return to_.bytes();
}

void metrics_request_writer::write_metric(const engine::metric_snapshot& metric,
                                          std::int64_t time_ns, request_summary& summary) {
    const engine::instrument_row& row = *metric.instrument;
    const std::size_t end = to_.size();
    std::uint32_t data = field::metric::sum;
    std::uint64_t fingerprint = 0;
    if (row.how == engine::aggregation::histogram) {
        data = field::metric::histogram;
        write_temporality(to_, metric.time);
        fingerprint = write_histograms(metric, time_ns);
    } else if (row.kind == instrument_kind::gauge) {
        data = field::metric::gauge;
        fingerprint = write_numbers(metric, time_ns);
    } else {
        if (row.kind != instrument_kind::up_down_counter) to_.number(field::data::monotonic, 1);
        write_temporality(to_, metric.time);
        fingerprint = write_numbers(metric, time_ns);
    }
    otlp::close_metric(to_, data, {row.name, row.description, row.unit}, end);

    const std::size_t points = metric.numbers.size() + metric.histograms.size();
    summary.points += points;
    if (row.self_metric) return;
    summary.gym_points += points;
    if (metric.time == temporality::delta) {
        summary.has_delta = true;
        return;
    }
    mix(summary.fingerprint, metric.id);
    mix(summary.fingerprint, fingerprint);
}

std::uint64_t metrics_request_writer::write_numbers(const engine::metric_snapshot& metric,
                                                    std::int64_t time_ns) {
    const engine::instrument_row& row = *metric.instrument;
    const bool gauge = row.kind == instrument_kind::gauge;
    const otlp::point_times times{gauge ? 0 : metric.start_time_ns, time_ns};
    std::uint64_t fingerprint = 0;
    for (const engine::number_point& point : metric.numbers | std::views::reverse) {
        if (is_real(row))
            otlp::write_number_point(to_, times, point.real, point.series->encoded);
        else
            otlp::write_number_point(to_, times, point.integer, point.series->encoded);
        mix(fingerprint, std::bit_cast<std::uint64_t>(point.series));
        mix(fingerprint, static_cast<std::uint64_t>(point.integer));
    }
    return fingerprint;
}

std::uint64_t metrics_request_writer::write_histograms(const engine::metric_snapshot& metric,
                                                       std::int64_t time_ns) {
    otlp::histogram_writer& writer = histograms_[histogram_];
    writer.set_times({metric.start_time_ns, time_ns});
    std::uint64_t fingerprint = 0;
    for (const engine::histogram_point& point : metric.histograms | std::views::reverse) {
        const otlp::histogram_writer::min_max extremes{point.min, point.max};
        writer.write(to_, point.count, point.sum, point.buckets, point.series->encoded,
                     metric.has_min_max ? &extremes : nullptr);
        mix(fingerprint, std::bit_cast<std::uint64_t>(point.series));
        mix(fingerprint, point.count);
    }
    return fingerprint;
}

}  // namespace gym::telemetry::detail
