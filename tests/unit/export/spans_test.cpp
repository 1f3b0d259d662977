// SPDX-License-Identifier: Apache-2.0
#include "export/spans_request.hpp"
#include "export_fixture.hpp"
#include "otlp/envelope.hpp"
#include "trace/span_queue.hpp"

#include <gym/telemetry/trace.hpp>

namespace gym::telemetry::detail {
namespace {

std::string raw(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

finished_span full_span() {
    finished_span span{.name = "gym.server.startup",
                       .kind = span_kind::server,
                       .context = new_span_context(),
                       .parent = new_span_context().span,
                       .start_ns = 1792000000000000000,
                       .end_ns = 1792000000000000001,
                       .status = span_status::error,
                       .status_message = "because"};
    span.attributes = {
        {"text", std::string("v")}, {"yes", true}, {"integer", std::int64_t{-7}}, {"real", 0.5}};
    return span;
}

TEST(SpansRequest, IsTheBytesOfLibprotobuf) {
    const finished_span full = full_span();
    const finished_span bare{
        .name = "bare", .context = new_span_context(), .start_ns = 1, .end_ns = 2};
    traces_request theirs;
    auto* resource = theirs.add_resource_spans();
    auto* attribute = resource->mutable_resource()->add_attributes();
    attribute->set_key("service.name");
    attribute->mutable_value()->set_string_value("gym");
    auto* scope = resource->add_scope_spans();
    scope->mutable_scope()->set_name("n");
    scope->mutable_scope()->set_version("v");

    auto* first = scope->add_spans();
    first->set_trace_id(raw(full.context.trace.bytes));
    first->set_span_id(raw(full.context.span.bytes));
    first->set_parent_span_id(raw(full.parent.bytes));
    first->set_name("gym.server.startup");
    first->set_kind(opentelemetry::proto::trace::v1::Span::SPAN_KIND_SERVER);
    first->set_start_time_unix_nano(1792000000000000000);
    first->set_end_time_unix_nano(1792000000000000001);
    const auto add = [&](const char* key) {
        auto* made = first->add_attributes();
        made->set_key(key);
        return made->mutable_value();
    };
    add("text")->set_string_value("v");
    add("yes")->set_bool_value(true);
    add("integer")->set_int_value(-7);
    add("real")->set_double_value(0.5);
    first->mutable_status()->set_message("because");
    first->mutable_status()->set_code(opentelemetry::proto::trace::v1::Status::STATUS_CODE_ERROR);
    first->set_flags(1);

    auto* second = scope->add_spans();
    second->set_trace_id(raw(bare.context.trace.bytes));
    second->set_span_id(raw(bare.context.span.bytes));
    second->set_name("bare");
    second->set_kind(opentelemetry::proto::trace::v1::Span::SPAN_KIND_INTERNAL);
    second->set_start_time_unix_nano(1);
    second->set_end_time_unix_nano(2);
    second->set_flags(1);

    const request_envelope envelope{otlp::encode_resource({{"service.name", "gym"}}),
                                    otlp::encode_scope("n", "v")};
    const finished_span spans[] = {full, bare};
    EXPECT_EQ(write_spans_request(envelope, spans), theirs.SerializeAsString());
}

TEST(SpansRequest, AMessageGoesWithAnErrorOnly) {
    finished_span span = full_span();
    span.status = span_status::ok;
    traces_request read;
    ASSERT_TRUE(read.ParseFromString(write_spans_request({}, {&span, 1})));
    const auto& status = read.resource_spans(0).scope_spans(0).spans(0).status();
    EXPECT_EQ(status.code(), opentelemetry::proto::trace::v1::Status::STATUS_CODE_OK);
    EXPECT_EQ(status.message(), "");
}

class SpanExport : public ExportTest {
protected:
    SpanExport() {
        config.traces_enabled = true;
        set_span_routes(spans_to_exporters);
    }
    ~SpanExport() override { set_span_routes(no_spans); }

    static int spans_in(const received_request& request) {
        traces_request read;
        EXPECT_TRUE(read.ParseFromString(request.body));
        return read.resource_spans(0).scope_spans(0).spans_size();
    }
};

TEST_F(SpanExport, GoesToItsOwnPathInRequestsOfALimitedSize) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    for (int i = 0; i < 600; ++i) finish_span(full_span());
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    int spans = 0;
    int metrics = 0;
    for (const auto& request : collector.requests()) {
        if (request.path == "/v1/metrics") ++metrics;
        if (request.path == "/v1/traces") spans += spans_in(request);
    }
    EXPECT_EQ(metrics, 1);
    EXPECT_EQ(spans, 600);
}

TEST_F(SpanExport, ShutdownSendsSpansThatWait) {
    fake_collector collector;
    send_to(collector);
    const auto pipeline = start();
    finish_span(full_span());
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    ASSERT_EQ(collector.requests().size(), 1u);
    EXPECT_EQ(spans_in(collector.requests()[0]), 1);
}

TEST_F(SpanExport, ABatchThatWasNotAnsweredIsSentAgainAsItIs) {
    fake_collector collector({{.status = 503, .retry_after = "3600"}, {.status = 200}});
    send_to(collector);
    const auto pipeline = start();
    finish_span(full_span());
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    const auto requests = collector.requests();
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].body, requests[1].body);
}

TEST_F(SpanExport, AStalledSignalTakesNoTimeFromTheOther) {
    fake_collector silent({{.silent = true}});
    fake_collector collector;
    send_to(silent);
    config.otlp_metrics.endpoint = collector.url() + "/v1/metrics";
    const auto pipeline = start();
    finish_span(full_span());
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(500))));
    EXPECT_EQ(collector.requests().size(), 1u);
}

TEST_F(SpanExport, MetricsOffSendsSpansOnly) {
    fake_collector collector;
    send_to(collector);
    config.metrics_enabled = false;
    const auto pipeline = pipeline::start(
        {.config = config, .resource = {}, .source = source, .metrics = false, .traces = true});
    finish_span(full_span());
    count("a");
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    ASSERT_EQ(collector.requests().size(), 1u);
    EXPECT_EQ(collector.requests()[0].path, "/v1/traces");
}

}  // namespace
}  // namespace gym::telemetry::detail
