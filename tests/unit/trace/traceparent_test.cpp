// SPDX-License-Identifier: Apache-2.0
#include "trace/span_queue.hpp"

#include <gym/telemetry/trace.hpp>

#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace gym::telemetry {
namespace {

constexpr std::string_view good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(Traceparent, ReadsAndWrites) {
    const auto context = parse_traceparent(good);
    ASSERT_TRUE(context);
    EXPECT_EQ(context->trace.bytes[0], 0x4b);
    EXPECT_EQ(context->span.bytes[7], 0xb7);
    EXPECT_TRUE(context->sampled);
    EXPECT_EQ(format_traceparent(*context), good);
    std::string other(good);
    other.back() = '0';
    EXPECT_FALSE(parse_traceparent(other)->sampled);
    EXPECT_EQ(format_traceparent(*parse_traceparent(other)), other);
}

TEST(Traceparent, TakesLaterVersionsAsFarAsVersion0Goes) {
    std::string later(good);
    later[1] = '1';
    EXPECT_TRUE(parse_traceparent(later));
    EXPECT_TRUE(parse_traceparent(later + "-more"));
    EXPECT_FALSE(parse_traceparent(later + "more"));
    later[0] = later[1] = 'f';
    EXPECT_FALSE(parse_traceparent(later));
}

TEST(Traceparent, RefusesEverythingElse) {
    const std::string text(good);
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string bad = text;
        bad[i] = 'G';
        EXPECT_FALSE(parse_traceparent(bad)) << bad;
        EXPECT_FALSE(parse_traceparent(text.substr(0, i))) << i;
    }
    EXPECT_FALSE(parse_traceparent(text + "-x"));
    EXPECT_FALSE(parse_traceparent(" " + text));
    EXPECT_FALSE(parse_traceparent("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"));
    EXPECT_FALSE(parse_traceparent("00-00000000000000000000000000000000-00f067aa0ba902b7-01"));
    EXPECT_FALSE(parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"));
}

TEST(SpanContext, IsFreshInTheParentsTrace) {
    const span_context root = new_span_context();
    EXPECT_TRUE(root.is_valid());
    EXPECT_TRUE(root.sampled);
    span_context unsampled = root;
    unsampled.sampled = false;
    const span_context child = new_span_context(unsampled);
    EXPECT_EQ(child.trace, root.trace);
    EXPECT_NE(child.span, root.span);
    EXPECT_FALSE(child.sampled);
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(format_traceparent(new_span_context()));
    EXPECT_EQ(seen.size(), 100u);
}

class FinishedSpans : public ::testing::Test {
protected:
    ~FinishedSpans() override { detail::set_span_routes(detail::no_spans); }
    static finished_span named(std::string name) {
        return {.name = std::move(name), .context = new_span_context()};
    }
};

TEST_F(FinishedSpans, AreReadFromMemoryOnce) {
    detail::set_span_routes(detail::spans_to_memory);
    finish_span(named("first"));
    finish_span(named("second"));
    const auto spans = collect_spans();
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0].name, "first");
    EXPECT_EQ(spans[1].name, "second");
    EXPECT_TRUE(collect_spans().empty());
    EXPECT_TRUE(detail::take_spans(10).empty());
}

TEST_F(FinishedSpans, GoNowhereWithoutARoute) {
    finish_span(named("lost"));
    detail::set_span_routes(detail::spans_to_memory);
    EXPECT_TRUE(collect_spans().empty());
}

TEST_F(FinishedSpans, OfContextsThatAreNotValidOrNotSampledAreLeftOut) {
    detail::set_span_routes(detail::spans_to_memory);
    finish_span({.name = "no context"});
    finished_span span = named("not sampled");
    span.context.sampled = false;
    finish_span(span);
    EXPECT_TRUE(collect_spans().empty());
}

TEST_F(FinishedSpans, HaveTextByTheRules) {
    detail::set_span_routes(detail::spans_to_memory);
    finished_span span = named("\xff");
    span.start_ns = 5;
    span.end_ns = 3;
    span.attributes.resize(200, {"k", std::string(2000, 'x')});
    finish_span(span);
    const auto spans = collect_spans();
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans[0].name, "\xef\xbf\xbd");
    EXPECT_EQ(spans[0].end_ns, 5);
    EXPECT_EQ(spans[0].attributes.size(), detail::span_attributes_max);
    EXPECT_EQ(std::get<std::string>(spans[0].attributes[0].second).size(), 1024u);
}

TEST_F(FinishedSpans, AreDroppedAndCountedWhenNobodyTakesThem) {
    detail::set_span_routes(detail::spans_to_exporters);
    const std::uint64_t before = detail::dropped_spans();
    for (std::size_t i = 0; i < detail::waiting_spans_max + 3; ++i) finish_span(named("s"));
    EXPECT_EQ(detail::dropped_spans() - before, 3u);
    EXPECT_EQ(detail::take_spans(100).size(), 100u);
    EXPECT_EQ(detail::take_spans(10000).size(), detail::waiting_spans_max - 100);
}

TEST_F(FinishedSpans, FromManyThreadsConcurrentSafe) {
    detail::set_span_routes(detail::spans_to_exporters | detail::spans_to_memory);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 200; ++i) finish_span(named("s"));
        });
    std::size_t taken = 0;
    while (taken < 400) taken += detail::take_spans(7).size();
    for (auto& thread : threads) thread.join();
    taken += detail::take_spans(10000).size();
    EXPECT_EQ(taken, 800u);
    EXPECT_EQ(collect_spans().size(), 800u);
}

}  // namespace
}  // namespace gym::telemetry
