// SPDX-License-Identifier: Apache-2.0
#include "otel/tracer_sink.hpp"

#include "base/diagnostics.hpp"
#include "otel/boundaries.hpp"
#include "otel/row_attributes.hpp"

#include <opentelemetry/sdk/trace/recordable.h>
#include <opentelemetry/sdk/trace/tracer.h>
#include <opentelemetry/trace/noop.h>
#include <opentelemetry/trace/span_context_kv_iterable_view.h>

namespace gym::telemetry::otel {

namespace {

namespace api = opentelemetry::trace;
namespace sdk = opentelemetry::sdk::trace;
using std::chrono::nanoseconds;

class span_attributes final : public opentelemetry::common::KeyValueIterable {
public:
    explicit span_attributes(const finished_span& span) noexcept : span_(span) {}

    bool ForEachKeyValue(
        nostd::function_ref<bool(nostd::string_view, opentelemetry::common::AttributeValue)> each)
        const noexcept override {
        for (const auto& [key, value] : span_.attributes)
            if (!each(to_otel(key), to_value(value))) return false;
        return true;
    }
    std::size_t size() const noexcept override { return span_.attributes.size(); }

private:
    static opentelemetry::common::AttributeValue to_value(
        const span_attribute_value& value) noexcept {
        if (const auto* text = std::get_if<std::string>(&value)) return to_otel(*text);
        if (const auto* flag = std::get_if<bool>(&value)) return *flag;
        if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
        return *std::get_if<double>(&value);
    }

    const finished_span& span_;
};

class no_links final : public api::SpanContextKeyValueIterable {
public:
    bool ForEachKeyValue(
        nostd::function_ref<bool(api::SpanContext, const opentelemetry::common::KeyValueIterable&)>)
        const noexcept override {
        return true;
    }
    std::size_t size() const noexcept override { return 0; }
};

api::TraceId trace_of(const finished_span& span) noexcept {
    return api::TraceId(span.context.trace.bytes);
}
api::SpanKind kind_of(const finished_span& span) noexcept {
    switch (span.kind) {
        case span_kind::server:
            return api::SpanKind::kServer;
        case span_kind::client:
            return api::SpanKind::kClient;
        case span_kind::producer:
            return api::SpanKind::kProducer;
        case span_kind::consumer:
            return api::SpanKind::kConsumer;
        case span_kind::internal:
            break;
    }
    return api::SpanKind::kInternal;
}
api::StatusCode status_of(const finished_span& span) noexcept {
    if (span.status == span_status::ok) return api::StatusCode::kOk;
    return span.status == span_status::error ? api::StatusCode::kError : api::StatusCode::kUnset;
}
opentelemetry::common::SystemTimestamp start_of(const finished_span& span) noexcept {
    return opentelemetry::common::SystemTimestamp(nanoseconds(span.start_ns));
}
api::SpanContext parent_of(const finished_span& span) noexcept {
    if (span.parent == span_id{}) return api::SpanContext::GetInvalid();
    return {trace_of(span), api::SpanId(span.parent.bytes),
            api::TraceFlags(api::TraceFlags::kIsSampled), false};
}

// What a span of the SDK's does when it starts and ends, with the ids that ours has already: a
// child process may have been told them.
class sdk_sink final : public detail::span_sink {
public:
    sdk_sink(nostd::shared_ptr<api::Tracer> tracer, sdk::Tracer& as_sdk)
        : owner_(std::move(tracer)), tracer_(as_sdk) {}

    void finish(const finished_span& span) override {
        const span_attributes attributes(span);
        const sdk::SamplingResult sampled =
            tracer_.GetSampler().ShouldSample(parent_of(span), trace_of(span), to_otel(span.name),
                                              kind_of(span), attributes, no_links());
        if (sampled.decision == sdk::Decision::DROP) return;
        sdk::SpanProcessor& processor = tracer_.GetProcessor();
        std::unique_ptr<sdk::Recordable> made = processor.MakeRecordable();
        if (made == nullptr) return;
        fill(*made, span, sampled, attributes);
        processor.OnStart(*made, parent_of(span));
        made->SetStatus(status_of(span), to_otel(span.status_message));
        made->SetDuration(nanoseconds(span.end_ns - span.start_ns));
        processor.OnEnd(std::move(made));
    }

private:
    void fill(sdk::Recordable& to, const finished_span& span, const sdk::SamplingResult& sampled,
              const span_attributes& attributes) {
        const api::TraceFlags flags(
            sampled.decision == sdk::Decision::RECORD_AND_SAMPLE ? api::TraceFlags::kIsSampled : 0);
        const auto state =
            sampled.trace_state != nullptr ? sampled.trace_state : api::TraceState::GetDefault();
        to.SetName(to_otel(span.name));
        to.SetInstrumentationScope(tracer_.GetInstrumentationScope());
        to.SetIdentity({trace_of(span), api::SpanId(span.context.span.bytes), flags, false, state},
                       api::SpanId(span.parent.bytes));
        to.SetTraceFlags(flags);
        auto add = [&](nostd::string_view key,
                       const opentelemetry::common::AttributeValue& value) noexcept {
            to.SetAttribute(key, value);
            return true;
        };
        attributes.ForEachKeyValue(add);
        if (sampled.attributes != nullptr)
            for (const auto& [key, value] : *sampled.attributes) add(key, value);
        to.SetSpanKind(kind_of(span));
        to.SetStartTime(start_of(span));
        to.SetResource(tracer_.GetResource());
    }

    nostd::shared_ptr<api::Tracer> owner_;
    sdk::Tracer& tracer_;
};

class api_sink final : public detail::span_sink {
public:
    explicit api_sink(nostd::shared_ptr<api::Tracer> tracer) : tracer_(std::move(tracer)) {}

    void finish(const finished_span& span) override {
        using opentelemetry::common::SteadyTimestamp;
        // Only the difference of the two matters.
        const nanoseconds begin{1};
        api::StartSpanOptions start;
        start.start_system_time = start_of(span);
        start.start_steady_time = SteadyTimestamp(begin);
        start.parent = parent_of(span);
        start.kind = kind_of(span);
        const auto made =
            tracer_->StartSpan(to_otel(span.name), span_attributes(span), no_links(), start);
        if (made == nullptr) return;
        if (span.status != span_status::unset)
            made->SetStatus(status_of(span), to_otel(span.status_message));
        api::EndSpanOptions end;
        end.end_steady_time = SteadyTimestamp(begin + nanoseconds(span.end_ns - span.start_ns));
        made->End(end);
    }

private:
    nostd::shared_ptr<api::Tracer> tracer_;
};

}  // namespace

std::shared_ptr<detail::span_sink> make_tracer_sink(api::TracerProvider& provider) {
    nostd::shared_ptr<api::Tracer> tracer =
        provider.GetTracer(to_otel(scope_name), GYM_TELEMETRY_VERSION);
    if (tracer == nullptr) return nullptr;
    if (auto* as_sdk = dynamic_cast<sdk::Tracer*>(tracer.get()))
        return std::make_shared<sdk_sink>(std::move(tracer), *as_sdk);
    // A tracer that does nothing has nothing to complain about.
    if (dynamic_cast<api::NoopTracer*>(tracer.get()) == nullptr)
        detail::diagnose("adopt.span_ids",
                         "the adopted tracer is not the one of OpenTelemetry's SDK: spans get ids "
                         "of its own, so those of this process do not hang together");
    return std::make_shared<api_sink>(std::move(tracer));
}

}  // namespace gym::telemetry::otel
