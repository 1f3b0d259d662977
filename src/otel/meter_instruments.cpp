// SPDX-License-Identifier: Apache-2.0
#include "otel/meter_instruments.hpp"

#include "otel/boundaries.hpp"
#include "otel/row_attributes.hpp"

#include <stdexcept>
#include <vector>

#include <opentelemetry/context/context.h>

namespace gym::telemetry::otel {

namespace {

using engine::aggregation;
using engine::instrument_row;

const opentelemetry::context::Context& no_context() {
    static const auto* const none = new opentelemetry::context::Context;
    return *none;
}

// Never destroyed: threads may record while static objects are.
struct all_meters {
    std::mutex mutex;
    std::vector<meter_instruments*> list;
};

all_meters& meters() {
    static auto* const made = new all_meters;
    return *made;
}

bool is_observed(const instrument_row& row) noexcept {
    return row.kind == instrument_kind::gauge || row.kind == instrument_kind::observable_counter;
}

}  // namespace

meter_instruments::found meter_instruments::of(api::MeterProvider& provider) {
    nostd::shared_ptr<api::Meter> meter =
        provider.GetMeter(to_otel(scope_name), GYM_TELEMETRY_VERSION);
    if (meter == nullptr) throw std::runtime_error("the meter provider gives no meter");
    all_meters& all = meters();
    const std::lock_guard lock(all.mutex);
    // Kept here, so no later meter has the same address.
    for (meter_instruments* known : all.list)
        if (known->meter_.get() == meter.get()) return {*known, true};
    const bool boundaries = set_boundaries(provider);
    all.list.reserve(all.list.size() + 1);
    auto* made = new meter_instruments(std::move(meter));
    all.list.push_back(made);
    made->make_observables();
    return {*made, boundaries};
}

void meter_instruments::record(engine::instrument_id id, const instrument_row& row,
                               const std::string_view* values, engine::measurement what) {
    api::SynchronousInstrument* to = made_[id].load(std::memory_order_acquire);
    if (to == nullptr) to = synchronous(id, row);
    if (to == nullptr) return;
    const row_attributes attributes(row, values);
    if (row.how == aggregation::histogram)
        static_cast<api::Histogram<double>*>(to)->Record(what.real, attributes, no_context());
    else if (row.kind == instrument_kind::up_down_counter)
        static_cast<api::UpDownCounter<std::int64_t>*>(to)->Add(what.integer, attributes);
    else
        static_cast<api::Counter<std::uint64_t>*>(to)->Add(static_cast<std::uint64_t>(what.integer),
                                                           attributes);
}

api::SynchronousInstrument* meter_instruments::synchronous(engine::instrument_id id,
                                                           const instrument_row& row) {
    const std::lock_guard lock(mutex_);
    if (api::SynchronousInstrument* known = made_[id].load(std::memory_order_acquire)) return known;
    api::SynchronousInstrument* const fresh = make(row).release();
    made_[id].store(fresh, std::memory_order_release);
    return fresh;
}

nostd::unique_ptr<api::SynchronousInstrument> meter_instruments::make(const instrument_row& row) {
    const auto name = to_otel(row.name);
    const auto text = to_otel(row.description);
    const auto unit = to_otel(row.unit);
    const auto owned = [](auto made) {
        return nostd::unique_ptr<api::SynchronousInstrument>(made.release());
    };
    if (row.how == aggregation::histogram)
        return owned(meter_->CreateDoubleHistogram(name, text, unit));
    if (row.kind == instrument_kind::up_down_counter)
        return owned(meter_->CreateInt64UpDownCounter(name, text, unit));
    return owned(meter_->CreateUInt64Counter(name, text, unit));
}

// At once, not at the first use: that may be inside somebody's callback, where the SDK holds the
// lock that a registration needs.
void meter_instruments::make_observables() {
    for (std::size_t i = 0; i < observables_.size(); ++i) {
        const auto id = static_cast<engine::instrument_id>(i);
        const instrument_row& row = instruments::catalogue[id];
        if (!is_observed(row) || row.self_metric) continue;
        const auto name = to_otel(row.name);
        const auto text = to_otel(row.description);
        const auto unit = to_otel(row.unit);
        observables_[id] = {this, id,
                            row.kind == instrument_kind::gauge
                                ? meter_->CreateDoubleObservableGauge(name, text, unit)
                                : meter_->CreateInt64ObservableCounter(name, text, unit)};
        if (observables_[id].instrument != nullptr)
            observables_[id].instrument->AddCallback(on_observe, &observables_[id]);
    }
}

void meter_instruments::set_observed(std::shared_ptr<observed_values> by) {
    const std::lock_guard lock(observed_mutex_);
    observed_.swap(by);
}

// A C callback of the SDK's: nothing may leave it.
void meter_instruments::on_observe(api::ObserverResult to, void* state) noexcept {
    const observable& which = *static_cast<const observable*>(state);
    std::shared_ptr<observed_values> by;
    {
        const std::lock_guard lock(which.owner->observed_mutex_);
        by = which.owner->observed_;
    }
    try {
        if (by != nullptr) by->observe(which.id, to);
    } catch (...) {  // out of memory: this collection has no points of it
    }
}

}  // namespace gym::telemetry::otel
