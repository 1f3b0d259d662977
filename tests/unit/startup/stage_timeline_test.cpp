// SPDX-License-Identifier: Apache-2.0
#include "startup_fixture.hpp"

#include <gmock/gmock.h>

namespace gym::telemetry::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

using StageTimeline = StartupTest;

TEST_F(StageTimeline, EachMarkClosesTheStageThatBeganAtTheOneBefore) {
    stage_timeline timeline(70 * second);
    timeline.mark("a");
    clock.advance_ns(2 * second);
    timeline.mark("b");
    timeline.mark("a");  // a second stage of that name
    EXPECT_THAT(durations(timeline), ElementsAre(Pair("a", 7000), Pair("b", 2000), Pair("a", 0)));
    EXPECT_EQ(timeline.stages()[0].start_ns, 70 * second);
    for (std::size_t i = 0; i + 1 < timeline.stages().size(); ++i)
        EXPECT_EQ(timeline.stages()[i].end_ns, timeline.stages()[i + 1].start_ns);
    EXPECT_EQ(timeline.stages().back().end_ns, timeline.end_ns());
}

TEST_F(StageTimeline, NoStageIsNegative) {
    stage_timeline timeline(100 * second);  // later than now
    timeline.mark("a");
    timeline.mark_at("b", 90 * second);
    timeline.mark_at("c", 103 * second);
    EXPECT_THAT(durations(timeline), ElementsAre(Pair("a", 0), Pair("b", 0), Pair("c", 3000)));
}

TEST_F(StageTimeline, DoesNotSeeTheWallClockBeingSet) {
    stage_timeline timeline(77 * second);
    clock.step_wall_ns(-3600 * second);
    clock.advance_ns(second);
    timeline.mark("a");
    EXPECT_THAT(durations(timeline), ElementsAre(Pair("a", 1000)));
}

}  // namespace
}  // namespace gym::telemetry::test
