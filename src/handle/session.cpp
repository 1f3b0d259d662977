// SPDX-License-Identifier: Apache-2.0
#include "handle/session.hpp"

#include "engine/threads.hpp"
#include "export/series_attributes.hpp"
#include "handle/emitted_stream.hpp"
#include "handle/resource.hpp"
#include "instruments/record.hpp"
#include "instruments/rules.hpp"
#include "trace/span_groups.hpp"
#include "trace/span_queue.hpp"

#include <gym/telemetry/detail/control.hpp>

#include <algorithm>

namespace gym::telemetry::detail {

namespace {

using instruments::catalogue;
using instruments::id_of;

constexpr std::uint64_t metrics_gate = std::uint64_t{1} << 63;

void record_export(std::string_view exporter, std::string_view outcome, double duration_ms,
                   std::int64_t rejected, double wall_seconds) noexcept {
    instruments::count<id_of("gym.telemetry.export_total")>(exporter, outcome);
    instruments::record<id_of("gym.telemetry.export_duration_ms")>(duration_ms, exporter);
    if (rejected > 0)
        instruments::count_many<id_of("gym.telemetry.export_rejected_points_total")>(rejected,
                                                                                     exporter);
    if (outcome == "ok" || outcome == "partial")
        instruments::store<id_of("gym.telemetry.export_last_success_seconds")>(wall_seconds,
                                                                               exporter);
}

void record_spooled(double bytes) noexcept {
    instruments::store<id_of("gym.telemetry.spooled_bytes")>(bytes);
}

}  // namespace

std::shared_ptr<engine::generation> make_generation(const settings& config,
                                                    const session::parts& with) {
    engine::generation_options options;
    options.rows = catalogue;
    options.self = {.dropped = id_of("gym.telemetry.dropped_total"),
                    .unknown = id_of("gym.telemetry.unknown_value_total"),
                    .series = id_of("gym.telemetry.series"),
                    .overflowed = id_of("gym.telemetry.overflowed_total")};
    options.normalize = instruments::normalize;
    options.encode = encode_series_attributes;
    options.limits.series = static_cast<std::size_t>(config.cardinality_limit);
    options.constant_hash = with.constant_hash;
    options.foreign = with.adopted.metrics;
    return std::make_shared<engine::generation>(options);
}

std::uint64_t gates_of(const settings& config) {
    return parse_span_groups(config.span_groups).mask | (config.metrics_enabled ? metrics_gate : 0);
}

std::shared_ptr<session> session::start(const settings& config, const parts& with) {
    auto made = std::make_shared<session>();
    made->config_ = config;
    made->resource_ = resource_of(config);
    made->to_ = with.to;
    made->adopted_spans_ = with.adopted.spans;
    made->source_ = make_generation(config, with);
    std::vector<std::string> elsewhere = config.exporters;
    if (std::erase(elsewhere, "memory") != 0)
        for (int i = 0; i < config.memory_readers; ++i)
            made->readers_.push_back(
                std::make_unique<memory_reader>(made->source_, config.memory_temporality));
    if (!elsewhere.empty()) {
        pipeline_options options{.config = config,
                                 .resource = made->resource_,
                                 .source = made->source_,
                                 .guest = make_emitted_stream(config),
                                 .metrics = config.metrics_enabled,
                                 .traces = config.traces_enabled,
                                 .self = {.exported = record_export, .spooled = record_spooled}};
        options.config.exporters = elsewhere;
        made->pipeline_ = pipeline::start(std::move(options));
    }
    return made->is_exporting() ? made : nullptr;
}

void session::put_in_force() {
    if (config_.traces_enabled)
        set_span_routes(
            static_cast<std::uint8_t>((pipeline_ != nullptr ? spans_to_exporters : no_spans) |
                                      (readers_.empty() ? no_spans : spans_to_memory)),
            adopted_spans_);
    // Adopted without a meter: there is nobody to record to.
    const bool recorded = to_ != destination::adopted || source_->foreign() != nullptr;
    if (config_.metrics_enabled && recorded) engine::begin_generation(source_);
    control.gates.store(gates_of(config_), std::memory_order_relaxed);
}

memory_reader* session::reader(int index) noexcept {
    const auto at = static_cast<std::size_t>(index);
    return index >= 0 && at < readers_.size() ? readers_[at].get() : nullptr;
}

bool session::flush(deadline until) noexcept {
    return pipeline_ == nullptr || pipeline_->flush(until);
}

bool session::stop(deadline until) noexcept {
    control.gates.store(0, std::memory_order_relaxed);
    engine::end_generation();
    try {
        for (const auto& reader : readers_) last_.push_back(reader->collect());
    } catch (const std::bad_alloc&) {  // the last collection of a test or tool is not there
    }
    // What the callbacks read may go once the generation has ended: waits for those that run.
    if (to_ == destination::adopted)
        for (const auto& entry : source_->observables().entries())
            source_->observables().remove(entry.id);
    const bool sent = pipeline_ == nullptr || pipeline_->shutdown(until);
    set_span_routes(no_spans);
    return sent;
}

void session::abandon_in_child() noexcept {
    if (pipeline_ != nullptr) pipeline_->abandon_in_child();
}

}  // namespace gym::telemetry::detail
