// SPDX-License-Identifier: Apache-2.0
//
// The instruments of one meter of the application's. One object a meter, for the life of the
// process: the SDK keeps one storage a name, so an instrument made again would begin at 0 and lose
// what no reader has collected yet.
#pragma once

#include "engine/foreign.hpp"
#include "instruments/catalogue.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include <opentelemetry/metrics/async_instruments.h>
#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/metrics/sync_instruments.h>

namespace gym::telemetry::otel {

namespace api = opentelemetry::metrics;

// Says what the gauges and observable counters of the generation in force stand at.
class observed_values {
public:
    virtual ~observed_values() = default;
    // On the application's collecting thread.
    virtual void observe(engine::instrument_id id, const api::ObserverResult& to) = 0;
};

class meter_instruments {
public:
    struct found {
        meter_instruments& instruments;
        bool has_boundaries;  // false: the provider cannot be told; said for a new meter only
    };
    // Those of the provider's meter `gym.telemetry`. The first time, views are added to the
    // provider. Throws when it gives no meter.
    static found of(api::MeterProvider& provider);

    // Sums and histograms. Makes the instrument when it is used for the first time; a meter that
    // makes none loses this record.
    void record(engine::instrument_id id, const engine::instrument_row& row,
                const std::string_view* values, engine::measurement what);
    // Who answers from now on, until the next one; the last generation's values stay.
    void set_observed(std::shared_ptr<observed_values> by);

private:
    explicit meter_instruments(opentelemetry::nostd::shared_ptr<api::Meter> meter)
        : meter_(std::move(meter)) {}

    struct observable {
        meter_instruments* owner = nullptr;
        engine::instrument_id id = 0;
        opentelemetry::nostd::shared_ptr<api::ObservableInstrument> instrument{};
    };

    api::SynchronousInstrument* synchronous(engine::instrument_id id,
                                            const engine::instrument_row& row);
    opentelemetry::nostd::unique_ptr<api::SynchronousInstrument> make(
        const engine::instrument_row& row);
    void make_observables();
    static void on_observe(api::ObserverResult to, void* state) noexcept;

    const opentelemetry::nostd::shared_ptr<api::Meter> meter_;
    std::array<std::atomic<api::SynchronousInstrument*>, instruments::catalogue.size()> made_{};
    std::array<observable, instruments::catalogue.size()> observables_{};

    std::mutex mutex_;  // one maker at a time: see above
    std::mutex observed_mutex_;
    std::shared_ptr<observed_values> observed_;
};

}  // namespace gym::telemetry::otel
