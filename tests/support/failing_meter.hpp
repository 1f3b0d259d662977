// SPDX-License-Identifier: Apache-2.0
//
// A meter that makes no instruments: the one way in which OpenTelemetry's API can fail, since all
// of it is noexcept and what throws inside ends the process before we could see it.
#pragma once

#include <cstdint>
#include <utility>

#include <opentelemetry/metrics/async_instruments.h>
#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/metrics/sync_instruments.h>

namespace gym::telemetry::test {

class failing_meter final : public opentelemetry::metrics::Meter {
    template <class T>
    using unique = opentelemetry::nostd::unique_ptr<T>;
    using text = opentelemetry::nostd::string_view;
    template <class T>
    using counter = opentelemetry::metrics::Counter<T>;
    template <class T>
    using histogram = opentelemetry::metrics::Histogram<T>;
    template <class T>
    using up_down = opentelemetry::metrics::UpDownCounter<T>;
    using observable =
        opentelemetry::nostd::shared_ptr<opentelemetry::metrics::ObservableInstrument>;

public:
    // From instrument `works_from` on counters are made by `inner`; never when it is null.
    explicit failing_meter(
        opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter> inner = {},
        int works_from = 0)
        : inner_(std::move(inner)), works_from_(works_from) {}

    int asked = 0;

    unique<counter<std::uint64_t>> CreateUInt64Counter(text a, text b, text c) noexcept override {
        if (inner_ == nullptr || asked++ < works_from_) return {};
        return inner_->CreateUInt64Counter(a, b, c);
    }
    unique<counter<double>> CreateDoubleCounter(text, text, text) noexcept override { return {}; }
    unique<histogram<std::uint64_t>> CreateUInt64Histogram(text, text, text) noexcept override {
        return {};
    }
    unique<histogram<double>> CreateDoubleHistogram(text, text, text) noexcept override {
        return {};
    }
    unique<up_down<std::int64_t>> CreateInt64UpDownCounter(text, text, text) noexcept override {
        return {};
    }
    unique<up_down<double>> CreateDoubleUpDownCounter(text, text, text) noexcept override {
        return {};
    }
    observable CreateInt64ObservableCounter(text, text, text) noexcept override { return {}; }
    observable CreateDoubleObservableCounter(text, text, text) noexcept override { return {}; }
    observable CreateInt64ObservableGauge(text, text, text) noexcept override { return {}; }
    observable CreateDoubleObservableGauge(text, text, text) noexcept override { return {}; }
    observable CreateInt64ObservableUpDownCounter(text, text, text) noexcept override { return {}; }
    observable CreateDoubleObservableUpDownCounter(text, text, text) noexcept override {
        return {};
    }

private:
    opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter> inner_;
    int works_from_;
};

// Gives the same meter each time; null when it has none.
class failing_provider final : public opentelemetry::metrics::MeterProvider {
public:
    explicit failing_provider(failing_meter* owned = nullptr) : meter_(owned) {}
    opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter> GetMeter(
        opentelemetry::nostd::string_view, opentelemetry::nostd::string_view,
        opentelemetry::nostd::string_view) noexcept override {
        return meter_;
    }

private:
    opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter> meter_;
};

}  // namespace gym::telemetry::test
