// SPDX-License-Identifier: Apache-2.0
//
// Finished spans on their way to a tracer that the application owns.
#include "complaints.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/otel/adopt.hpp>
#include <gym/telemetry/trace.hpp>

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentelemetry/exporters/memory/in_memory_span_data.h>
#include <opentelemetry/exporters/memory/in_memory_span_exporter_factory.h>
#include <opentelemetry/sdk/trace/samplers/always_off.h>
#include <opentelemetry/sdk/trace/samplers/always_on.h>
#include <opentelemetry/sdk/trace/simple_processor.h>
#include <opentelemetry/sdk/trace/span_data.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>

namespace gym::telemetry::test {
namespace {

namespace api = opentelemetry::trace;
namespace sdk = opentelemetry::sdk::trace;
namespace nostd = opentelemetry::nostd;
using opentelemetry::exporter::memory::InMemorySpanData;
using opentelemetry::exporter::memory::InMemorySpanExporterFactory;
using testing::IsEmpty;

class AdoptedSpansTest : public testing::Test {
protected:
    ~AdoptedSpansTest() override { shutdown(); }

    nostd::shared_ptr<api::TracerProvider> provider(std::unique_ptr<sdk::Sampler> sampler) {
        auto exporter = InMemorySpanExporterFactory::Create(arrived);
        owner = nostd::shared_ptr<api::TracerProvider>(
            std::static_pointer_cast<api::TracerProvider>(std::make_shared<sdk::TracerProvider>(
                std::make_unique<sdk::SimpleSpanProcessor>(std::move(exporter)),
                opentelemetry::sdk::resource::Resource::Create({{"service.name", "the-owner"}}),
                std::move(sampler))));
        return owner;
    }
    nostd::shared_ptr<api::TracerProvider> provider() {
        return provider(std::make_unique<sdk::AlwaysOnSampler>());
    }
    static options block() {
        options to;
        to.ignore_environment = true;
        to.span_groups = "all";
        return to;
    }

    complaints said;
    std::shared_ptr<InMemorySpanData> arrived;
    nostd::shared_ptr<api::TracerProvider> owner;  // the application keeps its own
};

template <class Id>
std::string hex(const Id& id) {
    std::string text(2 * Id::kSize, '0');
    id.ToLowerBase16(nostd::span<char, 2 * Id::kSize>(text.data(), text.size()));
    return text;
}

finished_span a_span(const span_context& context, const span_context& parent) {
    return {.name = "gym.server.startup",
            .kind = span_kind::server,
            .context = context,
            .parent = parent.span,
            .start_ns = 1'700'000'000'000'000'000,
            .end_ns = 1'700'000'000'250'000'000,
            .attributes = {{"stage", std::string("load")}, {"count", std::int64_t{3}}},
            .status = span_status::error,
            .status_message = "no luck"};
}

TEST_F(AdoptedSpansTest, KeepTheirIdsWithTheSdk) {
    otel::adopt({}, provider(), block());
    const span_context root = new_span_context();
    const span_context child = new_span_context(root);
    finish_span(a_span(child, root));
    finish_span(a_span(root, {}));

    const auto spans = arrived->GetSpans();
    ASSERT_EQ(spans.size(), 2u);
    const sdk::SpanData& first = *spans[0];
    const sdk::SpanData& last = *spans[1];
    const std::string trace = format_traceparent(child).substr(3, 32);
    EXPECT_EQ(hex(first.GetTraceId()), trace);
    EXPECT_EQ(hex(first.GetSpanId()), format_traceparent(child).substr(36, 16));
    EXPECT_EQ(hex(first.GetParentSpanId()), hex(last.GetSpanId()));
    EXPECT_EQ(hex(last.GetTraceId()), trace);
    EXPECT_FALSE(last.GetParentSpanId().IsValid());
    EXPECT_EQ(first.GetName(), "gym.server.startup");
    EXPECT_EQ(first.GetSpanKind(), api::SpanKind::kServer);
    EXPECT_EQ(first.GetStatus(), api::StatusCode::kError);
    EXPECT_EQ(first.GetDescription(), "no luck");
    EXPECT_EQ(first.GetStartTime().time_since_epoch().count(), 1'700'000'000'000'000'000);
    EXPECT_EQ(first.GetDuration().count(), 250'000'000);
    EXPECT_EQ(nostd::get<std::string>(first.GetAttributes().at("stage")), "load");
    EXPECT_EQ(nostd::get<std::int64_t>(first.GetAttributes().at("count")), 3);
    EXPECT_EQ(first.GetInstrumentationScope().GetName(), "gym.telemetry");
    EXPECT_EQ(nostd::get<std::string>(first.GetResource().GetAttributes().at("service.name")),
              "the-owner");
    EXPECT_THAT(said.all(), IsEmpty());
}

TEST_F(AdoptedSpansTest, TheOwnersSamplerDecides) {
    otel::adopt({}, provider(std::make_unique<sdk::AlwaysOffSampler>()), block());
    finish_span(a_span(new_span_context(), {}));
    EXPECT_THAT(arrived->GetSpans(), IsEmpty());
}

TEST_F(AdoptedSpansTest, EndWithTheGeneration) {
    const auto owned = provider();
    otel::adopt({}, owned, block());
    shutdown();
    finish_span(a_span(new_span_context(), {}));
    EXPECT_THAT(arrived->GetSpans(), IsEmpty());
    // The owner's provider still works.
    owned->GetTracer("application")->StartSpan("mine")->End();
    EXPECT_EQ(arrived->GetSpans().size(), 1u);
}

TEST_F(AdoptedSpansTest, NotWhenTracesAreOff) {
    options off = block();
    off.traces_enabled = false;
    otel::adopt({}, provider(), off);
    finish_span(a_span(new_span_context(), {}));
    EXPECT_THAT(arrived->GetSpans(), IsEmpty());
}

// A tracer of the API alone, over the SDK's.
class wrapping_tracer final : public api::Tracer {
public:
    explicit wrapping_tracer(nostd::shared_ptr<api::Tracer> inner) : inner_(std::move(inner)) {}
    nostd::shared_ptr<api::Span> StartSpan(
        nostd::string_view name, const opentelemetry::common::KeyValueIterable& attributes,
        const api::SpanContextKeyValueIterable& links,
        const api::StartSpanOptions& with) noexcept override {
        return inner_->StartSpan(name, attributes, links, with);
    }
    void ForceFlushWithMicroseconds(std::uint64_t) noexcept override {}
    void CloseWithMicroseconds(std::uint64_t) noexcept override {}

private:
    nostd::shared_ptr<api::Tracer> inner_;
};
class wrapping_tracers final : public api::TracerProvider {
public:
    explicit wrapping_tracers(nostd::shared_ptr<api::TracerProvider> inner)
        : inner_(std::move(inner)) {}
    nostd::shared_ptr<api::Tracer> GetTracer(nostd::string_view name, nostd::string_view version,
                                             nostd::string_view) noexcept override {
        return nostd::shared_ptr<api::Tracer>(
            new wrapping_tracer(inner_->GetTracer(name, version)));
    }

private:
    nostd::shared_ptr<api::TracerProvider> inner_;
};

TEST_F(AdoptedSpansTest, AnotherTracerGivesIdsOfItsOwn) {
    otel::adopt({}, nostd::shared_ptr<api::TracerProvider>(new wrapping_tracers(provider())),
                block());
    EXPECT_TRUE(said.mentions({"tracer", "ids"}));
    const span_context root = new_span_context();
    finish_span(a_span(new_span_context(root), root));
    const auto spans = arrived->GetSpans();
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(hex(spans[0]->GetTraceId()), format_traceparent(root).substr(3, 32));
    EXPECT_EQ(hex(spans[0]->GetParentSpanId()), format_traceparent(root).substr(36, 16));
    EXPECT_EQ(spans[0]->GetStartTime().time_since_epoch().count(), 1'700'000'000'000'000'000);
    EXPECT_EQ(spans[0]->GetDuration().count(), 250'000'000);
    EXPECT_EQ(spans[0]->GetStatus(), api::StatusCode::kError);
    EXPECT_EQ(nostd::get<std::string>(spans[0]->GetAttributes().at("stage")), "load");
}

}  // namespace
}  // namespace gym::telemetry::test
