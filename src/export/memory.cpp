// SPDX-License-Identifier: Apache-2.0
#include "export/memory.hpp"

#include <array>

namespace gym::telemetry::detail {

namespace {

using attributes = std::vector<std::pair<std::string, attribute_value>>;

attributes attributes_of(const engine::instrument_row& row, const engine::series_entry& series) {
    attributes result;
    if (series.overflow) {
        result.emplace_back("otel.metric.overflow", true);
        return result;
    }
    std::array<std::string_view, engine::max_attributes> values;
    engine::values_of(*series.key, values.data(), row.attributes.size());
    for (std::size_t i = 0; i < row.attributes.size(); ++i) {
        const engine::attribute_row& attribute = row.attributes[i];
        if (attribute.type == engine::attribute_type::boolean)
            result.emplace_back(attribute.key, values[i] == std::string_view("\1", 1));
        else if (!attribute.optional || !values[i].empty())
            result.emplace_back(attribute.key, std::string(values[i]));
    }
    return result;
}

histogram_value value_of(const engine::metric_snapshot& metric, const engine::histogram_point& p) {
    histogram_value value;
    const auto& bounds = metric.instrument->bounds;
    value.bounds.assign(bounds.begin(), bounds.end());
    value.bucket_counts.assign(p.buckets, p.buckets + bounds.size() + 1);
    value.count = p.count;
    value.sum = p.sum;
    if (metric.has_min_max) {
        value.min = p.min;
        value.max = p.max;
    }
    return value;
}

point point_of(const engine::metric_snapshot& metric, const engine::series_entry& series) {
    return {.instrument = std::string(metric.instrument->name),
            .kind = metric.instrument->kind,
            .unit = std::string(metric.instrument->unit),
            .attributes = attributes_of(*metric.instrument, series),
            .value = std::int64_t{0}};
}

}  // namespace

collection to_collection(const engine::snapshot& from) {
    collection result{.start_time_ns = from.start_time_ns, .time_ns = from.time_ns, .points = {}};
    for (const engine::metric_snapshot& metric : from.metrics) {
        for (const engine::number_point& number : metric.numbers) {
            point& to = result.points.emplace_back(point_of(metric, *number.series));
            if (metric.instrument->kind == instrument_kind::gauge)
                to.value = number.real;
            else
                to.value = number.integer;
        }
        for (const engine::histogram_point& histogram : metric.histograms)
            result.points.emplace_back(point_of(metric, *histogram.series)).value =
                value_of(metric, histogram);
    }
    return result;
}

memory_reader::memory_reader(std::shared_ptr<engine::generation> source, temporality time)
    : reader_(std::move(source), {.counter = time, .observable_counter = time, .histogram = time}) {
}

collection memory_reader::collect() {
    const std::lock_guard lock(mutex_);
    return to_collection(reader_.collect());
}

}  // namespace gym::telemetry::detail
