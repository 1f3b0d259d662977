// SPDX-License-Identifier: Apache-2.0
//
// One generation's records on their way to a meter of the application's. OpenTelemetry's ABI 1 has
// no gauge that one sets: what those stand at is kept here and observed.
#pragma once

#include "engine/foreign.hpp"
#include "otel/meter_instruments.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gym::telemetry::otel {

class meter_sink final : public engine::foreign_sink, public observed_values {
public:
    // From now on `to` observes what this one holds.
    static std::shared_ptr<meter_sink> make(meter_instruments& to);
    explicit meter_sink(meter_instruments& to) : to_(to) {}

    void record(engine::instrument_id id, const engine::instrument_row& row,
                const std::string_view* values, engine::measurement what) override;
    void observe(engine::instrument_id id, const engine::instrument_row& row,
                 std::shared_ptr<engine::observable> ask) override;
    void observe(engine::instrument_id id, const api::ObserverResult& to) override;

private:
    // Of one series of a gauge: a ratio's hits and events, or the last value.
    struct standing {
        std::uint64_t hits = 0;
        std::uint64_t events = 0;
        double last = 0;
    };
    using series = std::map<std::vector<std::string>, standing, std::less<>>;

    meter_instruments& to_;
    std::mutex mutex_;
    std::array<series, instruments::catalogue.size()> gauges_;
    std::array<std::shared_ptr<engine::observable>, instruments::catalogue.size()> asks_;
};

}  // namespace gym::telemetry::otel
