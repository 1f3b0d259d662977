// SPDX-License-Identifier: Apache-2.0
#include "startup/spans.hpp"
#include "startup_fixture.hpp"

#include <array>
#include <cstdlib>

#include <gmock/gmock.h>
#include <unistd.h>

namespace gym::telemetry::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* spawn = "NEMO_GYM_STARTUP_SPAWN_NS";
constexpr const char* setup_done = "NEMO_GYM_STARTUP_SETUP_DONE_NS";
constexpr const char* serve = "NEMO_GYM_STARTUP_SERVE_NS";
constexpr const char* traceparent = "NEMO_GYM_STARTUP_TRACEPARENT";

class ServerTimeline : public StartupTest {
protected:
    static std::vector<std::pair<std::string, double>> stages_for(detail::variable_map variables,
                                                                  bool worker = false) {
        return durations(server(std::move(variables), {.server_name = "srv", .worker = worker}));
    }
};

TEST_F(ServerTimeline, ReconstructsWhatWasBeforeItsEntry) {
    EXPECT_THAT(stages_for({{spawn, before(5)}, {setup_done, before(1)}}),
                ElementsAre(Pair("venv_setup", 4000), Pair("interpreter_start", 1000)));
    EXPECT_THAT(stages_for({{spawn, before(5)}}), ElementsAre(Pair("interpreter_start", 5000)));
    EXPECT_THAT(stages_for({}), IsEmpty());
    EXPECT_THAT(stages_for({{spawn, before(0)}, {setup_done, before(0)}}),
                ElementsAre(Pair("venv_setup", 0), Pair("interpreter_start", 0)));
}

TEST_F(ServerTimeline, IgnoresStampsThatCannotBeTrue) {
    const std::array garbage = {
        "", " ", "-1", "0", "x", "1.5", "0x10", "1e18", "99999999999999999999"};
    for (const char* text : garbage) {
        EXPECT_THAT(stages_for({{spawn, text}, {setup_done, text}}), IsEmpty()) << text;
        EXPECT_THAT(stages_for({{spawn, before(2)}, {setup_done, text}}),
                    ElementsAre(Pair("interpreter_start", 2000)))
            << text;
    }
    // Setup done before the spawn, after the entry, without a spawn; a spawn after the entry.
    const auto spawned = ElementsAre(Pair("interpreter_start", 1000));
    EXPECT_THAT(stages_for({{spawn, before(1)}, {setup_done, before(4)}}), spawned);
    EXPECT_THAT(stages_for({{spawn, before(1)}, {setup_done, before(-1)}}), spawned);
    EXPECT_THAT(stages_for({{setup_done, before(1)}}), IsEmpty());
    EXPECT_THAT(stages_for({{spawn, before(-1)}, {setup_done, before(1)}}), IsEmpty());
}

TEST_F(ServerTimeline, WorkerStartsAtTheHandOff) {
    const detail::variable_map all = {
        {spawn, before(9)}, {setup_done, before(8)}, {serve, before(2)}};
    EXPECT_THAT(stages_for(all, true), ElementsAre(Pair("worker_start", 2000)));
    EXPECT_THAT(stages_for({{spawn, before(9)}, {serve, before(-1)}}, true), IsEmpty());
    EXPECT_THAT(stages_for({{spawn, before(9)}}, true), IsEmpty());
    // The main process does not look at the stamp that it sets itself.
    EXPECT_THAT(stages_for({{serve, before(2)}}), IsEmpty());
}

TEST_F(ServerTimeline, RecordsOnePointAStageOnce) {
    auto startup = server({{spawn, before(5)}});
    clock.advance_ns(second);
    startup.mark("load_config");
    startup.mark("load_config");
    startup.report();
    startup.report();
    startup.serving();
    EXPECT_EQ(points(),
              (std::map<std::string, double>{{"interpreter_start|srv|resources_servers|false", 1},
                                             {"load_config|srv|resources_servers|false", 2}}));
    EXPECT_EQ(sums(server_startup_stage_instrument)["load_config|srv|resources_servers|false"],
              1000);
    EXPECT_EQ(collect_spans().size(), 4u);
}

TEST_F(ServerTimeline, TypeIsAbsentWhenUnknown) {
    auto startup = server({}, {.server_name = "srv", .worker = true});
    startup.mark("a");
    startup.report();
    EXPECT_EQ(points(), (std::map<std::string, double>{{"a|srv|true", 1}}));
    const auto spans = collect_spans();
    EXPECT_EQ(span_of(spans, "gym.server.startup.worker").attributes.size(), 3u);
}

TEST_F(ServerTimeline, ServingEndsTheLastStageAndReports) {
    auto startup = server({});
    startup.mark("configure_app");
    EXPECT_THAT(points(), IsEmpty());
    clock.advance_ns(3 * second);
    startup.serving();
    startup.serving();
    EXPECT_EQ(points(),
              (std::map<std::string, double>{{"configure_app|srv|resources_servers|false", 1},
                                             {"uvicorn_startup|srv|resources_servers|false", 1}}));
}

TEST_F(ServerTimeline, SpansHaveTheStagesOwnTimes) {
    auto startup = server({{spawn, before(5)}, {setup_done, before(1)}});
    clock.step_wall_ns(-3600 * second);  // not seen
    clock.advance_ns(2 * second);
    startup.mark("load_config");
    clock.advance_ns(9 * second);  // after the last stage: not part of the root
    startup.report();
    const auto spans = collect_spans();
    EXPECT_THAT(names_of(spans),
                ElementsAre("gym.server.startup", "gym.server.startup.interpreter_start",
                            "gym.server.startup.load_config", "gym.server.startup.venv_setup"));
    const finished_span root = span_of(spans, "gym.server.startup");
    EXPECT_EQ(root.start_ns, entered_ns - 5 * second);
    EXPECT_EQ(root.end_ns, entered_ns + 2 * second);
    EXPECT_EQ(root.parent, span_id());
    const finished_span last = span_of(spans, "gym.server.startup.load_config");
    EXPECT_EQ(last.start_ns, entered_ns);
    EXPECT_EQ(last.end_ns, root.end_ns);
    EXPECT_EQ(last.parent, root.context.span);
    EXPECT_EQ(last.context.trace, root.context.trace);
    const std::vector<std::pair<std::string, span_attribute_value>> attributes = {
        {"nemo.gym.server.name", "srv"},
        {"nemo.gym.server.type", "resources_servers"},
        {"process.pid", std::int64_t{getpid()}},
        {"nemo.gym.server.worker", false},
        {"nemo.gym.startup.stage", "load_config"}};
    EXPECT_EQ(last.attributes, attributes);
}

TEST_F(ServerTimeline, ParentIsTheSupervisors) {
    auto startup =
        server({{traceparent, "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"}});
    startup.mark("a");
    startup.report();
    const auto spans = collect_spans();
    const finished_span root = span_of(spans, "gym.server.startup");
    const auto parent =
        parse_traceparent("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01");
    EXPECT_EQ(root.parent, parent->span);
    EXPECT_EQ(root.context.trace, parent->trace);
    auto other = server({{traceparent, "00-garbage"}});
    other.mark("a");
    other.report();
    EXPECT_EQ(span_of(collect_spans(), "gym.server.startup").parent, span_id());
}

TEST_F(ServerTimeline, GatesArePointsForMetricsAndSpansForTheGroup) {
    set_group(span_group::startup, false);
    auto without_spans = server({});
    without_spans.mark("a");
    without_spans.report();
    EXPECT_THAT(collect_spans(), IsEmpty());
    EXPECT_EQ(points().size(), 1u);

    detail::set_gates_for_tests(detail::gates_for_tests() & ~(std::uint64_t{1} << 63));
    set_group(span_group::startup, true);
    auto without_points = server({});
    without_points.mark("b");
    without_points.report();
    EXPECT_EQ(collect_spans().size(), 2u);
    EXPECT_EQ(points().size(), 1u);
}

TEST_F(ServerTimeline, FailingSpanReachesNobodyAndCostsNoPoint) {
    detail::set_span_beginning_for_tests(
        [](const span_context&) -> span_context { throw std::runtime_error("no span"); });
    setenv(spawn, before(1).c_str(), 1);
    server_startup startup({.server_name = "srv"});
    startup.mark("a");
    startup.report();
    unsetenv(spawn);
    detail::set_span_beginning_for_tests(nullptr);
    EXPECT_EQ(points(), (std::map<std::string, double>{{"a|srv|false", 1},
                                                       {"interpreter_start|srv|false", 1}}));
    EXPECT_TRUE(said.mentions({"startup", "no span"}));
}

TEST_F(ServerTimeline, DisabledOneDoesNothing) {
    auto startup = server({{spawn, before(5)}}, {.server_name = "srv", .enabled = false});
    startup.mark("a");
    EXPECT_THAT(startup.announce_serve(), IsEmpty());
    startup.serving();
    EXPECT_THAT(startup.stages(), IsEmpty());
    EXPECT_THAT(points(), IsEmpty());
    EXPECT_THAT(collect_spans(), IsEmpty());
}

TEST_F(ServerTimeline, ReportsWhenTelemetryIsThereAndNotBefore) {
    shutdown();
    auto startup = server({});
    startup.mark("load_config");
    startup.report();
    EXPECT_THAT(startup.announce_serve(), IsEmpty());
    init(all_groups());
    startup.name_server("late", "");
    startup.report();
    EXPECT_EQ(points(), (std::map<std::string, double>{{"load_config|late|false", 1}}));
}

TEST_F(ServerTimeline, WithoutStagesThereIsNoRoot) {
    auto startup = server({});
    startup.report();
    EXPECT_THAT(collect_spans(), IsEmpty());
}

TEST_F(ServerTimeline, AnnouncesTheHandOff) {
    auto startup = server({});
    clock.advance_ns(4 * second);
    EXPECT_THAT(startup.announce_serve(),
                ElementsAre(Pair(serve, std::to_string(entered_ns + 4 * second))));
}

}  // namespace
}  // namespace gym::telemetry::test
