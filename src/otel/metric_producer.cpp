// SPDX-License-Identifier: Apache-2.0
//
// A collection of ours as OpenTelemetry's metric data.
#include "handle/embedding.hpp"
#include "instruments/catalogue.hpp"
#include "otel/boundaries.hpp"
#include "otel/row_attributes.hpp"

#include <gym/telemetry/otel/metric_producer.hpp>

#include <chrono>
#include <deque>
#include <mutex>
#include <utility>

#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/resource/resource.h>

namespace gym::telemetry::otel {

namespace {

namespace sdk = opentelemetry::sdk::metrics;
using opentelemetry::common::SystemTimestamp;
using opentelemetry::sdk::instrumentationscope::InstrumentationScope;

SystemTimestamp time_of(std::int64_t ns) noexcept {
    return SystemTimestamp(std::chrono::nanoseconds(ns));
}

sdk::InstrumentType type_of(instrument_kind kind) noexcept {
    switch (kind) {
        case instrument_kind::counter:
            return sdk::InstrumentType::kCounter;
        case instrument_kind::up_down_counter:
            return sdk::InstrumentType::kUpDownCounter;
        case instrument_kind::observable_counter:
            return sdk::InstrumentType::kObservableCounter;
        case instrument_kind::histogram:
            return sdk::InstrumentType::kHistogram;
        case instrument_kind::gauge:
            break;
    }
    return sdk::InstrumentType::kObservableGauge;
}

sdk::HistogramPointData histogram_of(const histogram_value& from) {
    sdk::HistogramPointData to;
    to.boundaries_ = from.bounds;
    to.counts_ = from.bucket_counts;
    to.count_ = from.count;
    to.sum_ = from.sum;
    to.record_min_max_ = from.min.has_value();
    to.min_ = from.min.value_or(0);
    to.max_ = from.max.value_or(0);
    return to;
}

sdk::PointType value_of(const point& from, std::int64_t time_ns) {
    if (const auto* histogram = std::get_if<histogram_value>(&from.value))
        return histogram_of(*histogram);
    if (from.kind == instrument_kind::gauge) {
        sdk::LastValuePointData to;
        to.value_ = std::get<double>(from.value);
        to.is_lastvalue_valid_ = true;
        to.sample_ts_ = time_of(time_ns);
        return to;
    }
    sdk::SumPointData to;
    to.value_ = std::get<std::int64_t>(from.value);
    to.is_monotonic_ = from.kind != instrument_kind::up_down_counter;
    return to;
}

sdk::PointDataAttributes point_of(const point& from, std::int64_t time_ns) {
    sdk::PointDataAttributes to;
    for (const auto& [key, value] : from.attributes) {
        if (const auto* flag = std::get_if<bool>(&value))
            to.attributes[key] = *flag;
        else
            to.attributes[key] = std::get<std::string>(value);
    }
    to.point_data = value_of(from, time_ns);
    return to;
}

// Without what the SDK adds to those that it makes itself: its name, and the environment once more.
class own_resource : public opentelemetry::sdk::resource::Resource {
public:
    explicit own_resource(const std::vector<std::pair<std::string, std::string>>& attributes)
        : Resource(to_attributes(attributes)) {}

private:
    static opentelemetry::sdk::resource::ResourceAttributes to_attributes(
        const std::vector<std::pair<std::string, std::string>>& from) {
        opentelemetry::sdk::resource::ResourceAttributes to;
        for (const auto& [key, value] : from) to.SetAttribute(key, to_otel(value));
        return to;
    }
};

class producer final : public sdk::MetricProducer {
public:
    explicit producer(temporality time)
        : source_(detail::make_collection_source(time)),
          delta_(time == temporality::delta),
          scope_(InstrumentationScope::Create(to_otel(scope_name), GYM_TELEMETRY_VERSION)) {}

    Result Produce() noexcept override {
        try {
            const std::lock_guard lock(mutex_);
            return {produce(), Status::kSuccess};
        } catch (...) {  // out of memory
            return {{}, Status::kFailure};
        }
    }

private:
    sdk::ResourceMetrics produce();
    sdk::MetricData metric_of(const point& first, const collection& all, std::int64_t before) const;

    std::mutex mutex_;
    std::unique_ptr<detail::collection_source> source_;
    const bool delta_;
    opentelemetry::nostd::unique_ptr<InstrumentationScope> scope_;
    // One a generation: what was produced points to it.
    std::deque<own_resource> resources_;
    std::int64_t generation_start_ns_ = 0;
    std::int64_t last_time_ns_ = 0;
};

sdk::MetricData producer::metric_of(const point& first, const collection& all,
                                    std::int64_t before) const {
    const std::size_t row = instruments::find_row(first.instrument);
    const bool delta = delta_ && first.kind != instrument_kind::up_down_counter &&
                       first.kind != instrument_kind::gauge;
    sdk::MetricData to;
    to.instrument_descriptor = {
        first.instrument,
        row < instruments::catalogue.size() ? std::string(instruments::catalogue[row].description)
                                            : std::string(),
        first.unit, type_of(first.kind),
        std::holds_alternative<std::int64_t>(first.value) ? sdk::InstrumentValueType::kLong
                                                          : sdk::InstrumentValueType::kDouble};
    to.aggregation_temporality =
        delta ? sdk::AggregationTemporality::kDelta : sdk::AggregationTemporality::kCumulative;
    to.start_ts = time_of(delta ? before : all.start_time_ns);
    to.end_ts = time_of(all.time_ns);
    return to;
}

sdk::ResourceMetrics producer::produce() {
    const collection all = source_->collect();
    if (all.time_ns == 0) return {};
    if (all.start_time_ns != generation_start_ns_) {
        generation_start_ns_ = last_time_ns_ = all.start_time_ns;
        resources_.emplace_back(source_->resource());
    }
    std::vector<sdk::MetricData> metrics;
    for (const point& p : all.points) {
        if (metrics.empty() || metrics.back().instrument_descriptor.name_ != p.instrument)
            metrics.push_back(metric_of(p, all, last_time_ns_));
        metrics.back().point_data_attr_.push_back(point_of(p, all.time_ns));
    }
    last_time_ns_ = all.time_ns;
    sdk::ResourceMetrics result;
    result.resource_ = &resources_.back();
    if (!metrics.empty()) result.scope_metric_data_.emplace_back(scope_.get(), std::move(metrics));
    return result;
}

}  // namespace

telemetry& init_collected(const options& block) noexcept {
    return detail::init_embedded(block, nullptr);
}

std::unique_ptr<sdk::MetricProducer> make_metric_producer(temporality time) {
    return std::make_unique<producer>(time);
}

}  // namespace gym::telemetry::otel
