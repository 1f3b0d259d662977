// SPDX-License-Identifier: Apache-2.0
#include "otel/meter_sink.hpp"

#include "otel/row_attributes.hpp"

namespace gym::telemetry::otel {

namespace {

using engine::aggregation;
using engine::instrument_row;

template <class Value>
void report(const api::ObserverResult& to, const instrument_row& row,
            const std::string_view* values, Value value) {
    using result = nostd::shared_ptr<api::ObserverResultT<Value>>;
    if (const auto* typed = nostd::get_if<result>(&to))
        (*typed)->Observe(value, row_attributes(row, values));
}

// What a callback of ours observes, handed on to OpenTelemetry's.
class to_otel_observer final : public engine::observer {
public:
    to_otel_observer(const instrument_row& row, const api::ObserverResult& to)
        : row_(row), to_(to) {}

    void observe(const std::string_view* values, std::int64_t value) override {
        report(to_, row_, values, value);
    }
    void observe(const std::string_view* values, double value) override {
        report(to_, row_, values, value);
    }
    void drop(std::string_view) override {}  // counted before it came here

private:
    const instrument_row& row_;
    const api::ObserverResult& to_;
};

}  // namespace

std::shared_ptr<meter_sink> meter_sink::make(meter_instruments& to) {
    auto made = std::make_shared<meter_sink>(to);
    to.set_observed(made);
    return made;
}

void meter_sink::record(engine::instrument_id id, const instrument_row& row,
                        const std::string_view* values, engine::measurement what) {
    if (row.how != aggregation::ratio && row.how != aggregation::last_value)
        return to_.record(id, row, values, what);
    std::vector<std::string> key(values, values + row.attributes.size());
    const std::lock_guard lock(mutex_);
    standing& gauge = gauges_[id][std::move(key)];
    gauge.hits += static_cast<std::uint64_t>(what.integer);
    ++gauge.events;
    gauge.last = what.real;
}

void meter_sink::observe(engine::instrument_id id, const instrument_row&,
                         std::shared_ptr<engine::observable> ask) {
    const std::lock_guard lock(mutex_);
    asks_[id].swap(ask);
}

void meter_sink::observe(engine::instrument_id id, const api::ObserverResult& to) {
    const instrument_row& row = instruments::catalogue[id];
    series now;
    std::shared_ptr<engine::observable> ask;
    {
        const std::lock_guard lock(mutex_);
        now = gauges_[id];
        ask = asks_[id];
    }
    // Outside the lock: callbacks may record.
    to_otel_observer observer(row, to);
    if (ask != nullptr) ask->call(observer);
    for (const auto& [values, gauge] : now) {
        const std::vector<std::string_view> views(values.begin(), values.end());
        const bool ratio = row.how == aggregation::ratio;
        report(to, row, views.data(),
               ratio ? static_cast<double>(gauge.hits) / static_cast<double>(gauge.events)
                     : gauge.last);
    }
}

}  // namespace gym::telemetry::otel
