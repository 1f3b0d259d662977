// SPDX-License-Identifier: Apache-2.0
#include "startup/spans.hpp"
#include "startup_fixture.hpp"

#include <stdexcept>

#include <gmock/gmock.h>

namespace gym::telemetry::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class SupervisorTimeline : public StartupTest {
protected:
    detail::supervisor_timeline supervisor{true};
};

TEST_F(SupervisorTimeline, SpansFromSpawnToTheFirstReadyAnswer) {
    supervisor.begin_trace();
    clock.advance_ns(second);
    supervisor.mark("load_config");
    supervisor.spawn("srv", "responses_api_models");
    clock.advance_ns(3 * second);
    supervisor.mark("spawn_servers");
    supervisor.server_ready("srv");
    clock.advance_ns(second);
    supervisor.server_ready("srv");
    supervisor.finish();
    supervisor.finish();
    const auto spans = collect_spans();
    EXPECT_THAT(names_of(spans), ElementsAre("gym.startup", "gym.startup.load_config",
                                             "gym.startup.server", "gym.startup.spawn_servers"));
    const finished_span root = span_of(spans, "gym.startup");
    EXPECT_EQ(root.start_ns, entered_ns);
    EXPECT_EQ(root.end_ns, entered_ns + 5 * second);
    const finished_span server = span_of(spans, "gym.startup.server");
    EXPECT_EQ(server.start_ns, entered_ns + second);
    EXPECT_EQ(server.end_ns, entered_ns + 4 * second);
    for (const finished_span& span : spans)
        if (span.name != "gym.startup") {
            EXPECT_EQ(span.parent, root.context.span);
            EXPECT_EQ(span.context.trace, root.context.trace);
        }
    EXPECT_THAT(points(), IsEmpty());
}

TEST_F(SupervisorTimeline, ServerGetsItsSpansContext) {
    supervisor.begin_trace();
    const auto variables = supervisor.spawn("srv", "");
    ASSERT_THAT(variables, SizeIs(2));
    EXPECT_THAT(variables[0], Pair("NEMO_GYM_STARTUP_SPAWN_NS", std::to_string(entered_ns)));
    EXPECT_EQ(variables[1].first, "NEMO_GYM_STARTUP_TRACEPARENT");
    supervisor.server_ready("srv");
    EXPECT_EQ(variables[1].second,
              format_traceparent(span_of(collect_spans(), "gym.startup.server").context));
    // The server's own spans hang below it.
    auto startup = server({variables.begin(), variables.end()});
    clock.advance_ns(second);
    startup.mark("load_config");
    startup.report();
    EXPECT_EQ(span_of(collect_spans(), "gym.server.startup").parent,
              parse_traceparent(variables[1].second)->span);
}

TEST_F(SupervisorTimeline, WithTheGroupOffThereIsTheStampAlone) {
    set_group(span_group::startup, false);
    supervisor.begin_trace();
    EXPECT_THAT(supervisor.spawn("srv", ""),
                ElementsAre(Pair("NEMO_GYM_STARTUP_SPAWN_NS", testing::_)));
    supervisor.server_ready("srv");
    supervisor.finish();
    EXPECT_THAT(collect_spans(), IsEmpty());
}

TEST_F(SupervisorTimeline, UnknownServerIsIgnored) {
    supervisor.begin_trace();
    supervisor.server_ready("never-spawned");
    EXPECT_THAT(collect_spans(), IsEmpty());
}

TEST_F(SupervisorTimeline, AnswerAfterTheEndIsIgnored) {
    supervisor.begin_trace();
    supervisor.spawn("srv", "");
    supervisor.finish();
    supervisor.server_ready("srv");
    EXPECT_THAT(names_of(collect_spans()), ElementsAre("gym.startup"));
    EXPECT_THAT(supervisor.spawn("late", ""), IsEmpty());
}

TEST_F(SupervisorTimeline, DisabledOneStampsNothing) {
    detail::supervisor_timeline disabled(false);
    disabled.begin_trace();
    EXPECT_THAT(disabled.spawn("srv", ""), IsEmpty());
    disabled.finish();
    EXPECT_THAT(collect_spans(), IsEmpty());
}

TEST_F(SupervisorTimeline, WithoutTelemetryNothingIsStamped) {
    shutdown();
    supervisor.begin_trace();
    EXPECT_THAT(supervisor.spawn("srv", ""), IsEmpty());
}

TEST_F(SupervisorTimeline, FailingSpanLeavesTheStamp) {
    supervisor.begin_trace();
    detail::set_span_beginning_for_tests(
        [](const span_context&) -> span_context { throw std::runtime_error("no span"); });
    EXPECT_THAT(supervisor.spawn("srv", ""), SizeIs(1));
    detail::set_span_beginning_for_tests(nullptr);
}

}  // namespace
}  // namespace gym::telemetry::test
