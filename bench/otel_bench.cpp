// SPDX-License-Identifier: Apache-2.0
//
// opentelemetry-cpp's SDK, as Debian ships it, doing the same work.
#include "harness.hpp"
#include "pull_reader.hpp"

#include <opentelemetry/exporters/otlp/otlp_metric_utils.h>
#include <opentelemetry/metrics/noop.h>
#include <opentelemetry/sdk/metrics/aggregation/aggregation_config.h>
#include <opentelemetry/sdk/metrics/export/metric_producer.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>
#include <opentelemetry/sdk/metrics/view/instrument_selector.h>
#include <opentelemetry/sdk/metrics/view/meter_selector.h>
#include <opentelemetry/sdk/metrics/view/view.h>

// Last and in this order: the generated headers undefine macros.
// clang-format off
#include <opentelemetry/exporters/otlp/protobuf_include_prefix.h>
#include <opentelemetry/proto/collector/metrics/v1/metrics_service.pb.h>
#include <opentelemetry/exporters/otlp/protobuf_include_suffix.h>
// clang-format on

namespace api = opentelemetry::metrics;
namespace sdk = opentelemetry::sdk::metrics;
using bench::measure;
using bench::measure_modes;
using bench::pull_reader;
using opentelemetry::nostd::string_view;

namespace {

struct world {
    std::shared_ptr<pull_reader> reader = std::make_shared<pull_reader>();
    sdk::MeterProvider provider;
    opentelemetry::nostd::shared_ptr<api::Meter> meter;
    world() {
        provider.AddMetricReader(reader);
        auto config = std::make_shared<sdk::HistogramAggregationConfig>();
        config->boundaries_.assign(std::begin(bench::bounds), std::end(bench::bounds));
        provider.AddView(
            std::make_unique<sdk::InstrumentSelector>(sdk::InstrumentType::kHistogram, "*", "ms"),
            std::make_unique<sdk::MeterSelector>("bench", "", ""),
            std::make_unique<sdk::View>("", "", "ms", sdk::AggregationType::kHistogram, config));
        meter = provider.GetMeter("bench");
    }
};

const opentelemetry::context::Context context{};

template <class Counter>
void add5(Counter& counter, string_view first) {
    counter.Add(1,
                {{"sandbox.provider", first},
                 {"sandbox.operation", "exec_command"},
                 {"sandbox.outcome", "error"},
                 {"error.type", "provider_quota_exhausted"},
                 {"gym.server.name", "swe-agent-verifier-0"}},
                context);
}

void off() {
    static api::NoopMeterProvider provider;
    static const auto counter = provider.GetMeter("x", "", "")->CreateUInt64Counter("c");
    measure("W5-1attr", "1t", 1, [](int, std::uint64_t n) {
        for (; n; --n) counter->Add(1, {{"sandbox.provider", bench::providers[0]}}, context);
    });
    measure("W5-5attr", "1t", 1, [](int, std::uint64_t n) {
        for (; n; --n) add5(*counter, bench::providers[0]);
    });
}

struct instruments {
    world w;
    opentelemetry::nostd::unique_ptr<api::Counter<std::uint64_t>> c1, c5, c7;
    opentelemetry::nostd::unique_ptr<api::Histogram<double>> h1;
    instruments()
        : c1(w.meter->CreateUInt64Counter("c1", "", "1")),
          c5(w.meter->CreateUInt64Counter("c5", "", "1")),
          c7(w.meter->CreateUInt64Counter("c7", "", "1")),
          h1(w.meter->CreateDoubleHistogram("h1", "", "ms")) {}
};

void repeated(instruments& made) {
    measure_modes("W1", [&](bool different) {
        return [&made, different](int t, std::uint64_t n) {
            const string_view v = bench::providers[different ? t : 0];
            for (; n; --n) made.c1->Add(1, {{"sandbox.provider", v}}, context);
        };
    });
    measure_modes("W2", [&](bool different) {
        return [&made, different](int t, std::uint64_t n) {
            const string_view v = bench::providers[different ? t : 0];
            for (; n; --n) add5(*made.c5, v);
        };
    });
    measure_modes("W3", [&](bool different) {
        return [&made, different, values = bench::values()](int t, std::uint64_t n) {
            const string_view v = bench::providers[different ? t : 0];
            for (; n; --n)
                made.h1->Record(values[n & bench::value_mask], {{"sandbox.provider", v}}, context);
        };
    });
}

template <class Record>
void changing(const char* work, Record record) {
    const auto body = [record, order = bench::order()](int, std::uint64_t n) {
        for (; n; --n) record(string_view(bench::tasks()[order[n & bench::value_mask]]), n);
    };
    measure(work, "1t", 1, body);
    measure(work, "2t-same", 2, body);
}

void many_sets(instruments& made) {
    const auto in_turn = [&made](int t, std::uint64_t n) {
        const auto& tasks = bench::tasks();
        unsigned i = unsigned(t) * 500;
        for (; n; --n) {
            made.c7->Add(1, {{"task", string_view(tasks[i])}}, context);
            if (++i == 1000) i = 0;
        }
    };
    measure("W7", "1t", 1, in_turn);
    measure("W7", "2t-same", 2, in_turn);
    changing("W1-changing", [&made](string_view set, std::uint64_t) {
        made.c1->Add(1, {{"task", set}}, context);
    });
    changing("W2-changing", [&made](string_view set, std::uint64_t) { add5(*made.c5, set); });
    changing("W3-changing", [&made, values = bench::values()](string_view set, std::uint64_t n) {
        made.h1->Record(values[n & bench::value_mask], {{"task", set}}, context);
    });
}

void collect(int series) {
    world w;  // the SDK caps a stream at 2,000 sets, so 1,000 a histogram
    std::vector<opentelemetry::nostd::unique_ptr<api::Histogram<double>>> all;
    for (int i = 0; i < (series + 999) / 1000; ++i)
        all.push_back(w.meter->CreateDoubleHistogram("h" + std::to_string(i), "", "ms"));
    const double before = bench::heap_bytes();
    for (int i = 0; i < series; ++i) {
        const std::string set = bench::task(i);
        for (int j = 0; j < 39; ++j)
            all[i / 1000]->Record(bench::values()[j], {{"task", string_view(set)}}, context);
    }
    const std::string mode = std::to_string(series);
    if (series == 10000)
        bench::emit("W6-mem", "B/series", (bench::heap_bytes() - before) / series, "B");
    bench::emit(
        "W6-collect", mode,
        bench::median_us(5, [&] { w.reader->Collect([](sdk::ResourceMetrics&) { return true; }); }),
        "us");
    std::string out;
    const double us = bench::median_us(5, [&] {
        w.reader->Collect([&](sdk::ResourceMetrics& metrics) {
            opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest request;
            opentelemetry::exporter::otlp::OtlpMetricUtils::PopulateRequest(metrics, &request);
            return request.SerializeToString(&out);
        });
    });
    bench::emit("W6-collect+ser", mode, us, "us");
    bench::emit("W6-bytes-out", mode, double(out.size()), "B");
    if (series == 10000)
        bench::emit("W6-mem-after", "B/series", (bench::heap_bytes() - before) / series, "B");
}

}  // namespace

int main(int argc, char** argv) {
    bench::peer = "otel-cpp";
    off();
    instruments made;
    repeated(made);
    many_sets(made);
    for (const int series : {100, 2000, 10000})
        bench::measure_once("W6-collect", std::to_string(series), [series] { collect(series); });
    return bench::run(argc, argv);
}
