// SPDX-License-Identifier: Apache-2.0
//
// What the bridge costs: recording into an adopted provider of opentelemetry-cpp's, beside the same
// record made there directly; and being collected by a MetricProducer.
#include "harness.hpp"
#include "pull_reader.hpp"

#include <gym/telemetry/otel/adopt.hpp>
#include <gym/telemetry/otel/metric_producer.hpp>
#include <gym/telemetry/telemetry.hpp>

#include <opentelemetry/metrics/sync_instruments.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>

namespace gt = gym::telemetry;
namespace api = opentelemetry::metrics;
namespace sdk = opentelemetry::sdk::metrics;
namespace nostd = opentelemetry::nostd;
using bench::measure_modes;
using bench::pull_reader;

namespace {

nostd::shared_ptr<api::MeterProvider> make_provider() {
    auto owned = std::make_shared<sdk::MeterProvider>();
    owned->AddMetricReader(std::make_shared<pull_reader>());
    return nostd::shared_ptr<api::MeterProvider>(
        std::static_pointer_cast<api::MeterProvider>(owned));
}

void adopt() {
    static const auto provider = make_provider();
    gt::shutdown();
    gt::otel::adopt(provider, {}, {.ignore_environment = true});
}

void adopted() {
    bench::peer = "gym-telemetry";
    bench::state = adopt;
    measure_modes("adopt-W1", [](bool different) {
        return [different](int t, std::uint64_t n) {
            const std::string_view v = bench::providers[different ? t : 0];
            for (; n; --n) gt::record_sandbox_create_retry(v);
        };
    });
    measure_modes("adopt-W3", [](bool different) {
        return [different, values = bench::values()](int t, std::uint64_t n) {
            const std::string_view v = bench::providers[different ? t : 0];
            for (; n; --n) gt::record_sandbox_startup(values[n & bench::value_mask], v);
        };
    });
}

// Beside the adopted ones, in their state, so that a slice of each can follow the other.
void direct() {
    bench::peer = "otel-cpp";
    static const opentelemetry::context::Context context{};
    static const auto provider = make_provider();
    static const auto meter = provider->GetMeter("bench");
    static const auto counter = meter->CreateUInt64Counter("retries");
    static const auto histogram = meter->CreateDoubleHistogram("startup", "", "ms");
    measure_modes("adopt-W1", [](bool different) {
        return [different](int t, std::uint64_t n) {
            const nostd::string_view v = bench::providers[different ? t : 0];
            for (; n; --n) counter->Add(1, {{"nemo.gym.sandbox.provider", v}}, context);
        };
    });
    measure_modes("adopt-W3", [](bool different) {
        return [different, values = bench::values()](int t, std::uint64_t n) {
            const nostd::string_view v = bench::providers[different ? t : 0];
            for (; n; --n)
                histogram->Record(values[n & bench::value_mask], {{"nemo.gym.sandbox.provider", v}},
                                  context);
        };
    });
}

void collected() {
    constexpr int series = 2000;
    gt::shutdown();
    gt::otel::init_collected({.cardinality_limit = 0, .ignore_environment = true});
    for (int i = 0; i < series; ++i) {
        const std::string set = bench::task(i);
        for (int j = 0; j < 39; ++j) gt::record_sandbox_startup(bench::values()[j], set);
    }
    const auto producer = gt::otel::make_metric_producer();
    const double us = bench::median_us(5, [&] { bench::keep(producer->Produce()); });
    bench::emit("produce", std::to_string(series), us, "us");
    gt::shutdown();
}

}  // namespace

int main(int argc, char** argv) {
    adopted();
    direct();
    bench::peer = "gym-telemetry";
    bench::state = nullptr;
    bench::measure_once("produce", "2000", collected);
    return bench::run(argc, argv);
}
