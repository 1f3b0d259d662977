// SPDX-License-Identifier: Apache-2.0
#include "trace/span_groups.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gym::telemetry::detail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::set<std::string_view> groups_of(std::string_view list) {
    const std::uint64_t mask = parse_span_groups(list).mask;
    std::set<std::string_view> names;
    for (int i = 0; i < 64; ++i) {
        if ((mask >> i) & 1) names.insert(name_of(static_cast<span_group>(i)));
    }
    return names;
}

TEST(SpanGroups, PresetsHoldTheirGroups) {
    EXPECT_THAT(groups_of("default"), ElementsAre("http_client", "job", "rollout", "server"));
    EXPECT_THAT(groups_of("per_rollout"),
                ElementsAre("agent", "http_client", "model_call", "rollout", "server", "verify"));
    EXPECT_THAT(groups_of("all"), ElementsAre("agent", "http_client", "job", "model_call",
                                              "rollout", "sandbox", "server", "startup", "verify"));
}

TEST(SpanGroups, EveryNameIsTheGroupOfThatName) {
    for (int i = 0; i < span_group_count; ++i) {
        const auto group = static_cast<span_group>(i);
        EXPECT_EQ(parse_span_groups(name_of(group)).mask, bit_of(group)) << name_of(group);
    }
    EXPECT_EQ(name_of(span_group::model_call), "model_call");
}

TEST(SpanGroups, GroupsAndPresetsAddUp) {
    EXPECT_THAT(groups_of(" default , sandbox,,SERVER"),
                ElementsAre("http_client", "job", "rollout", "sandbox", "server"));
}

TEST(SpanGroups, UnknownNamesAreReportedAndTheRestApplies) {
    const span_group_selection selection = parse_span_groups("Verfy,agent,x y,agent");
    EXPECT_EQ(selection.mask, bit_of(span_group::agent));
    EXPECT_THAT(selection.unknown, ElementsAre("Verfy", "x y"));
}

TEST(SpanGroups, AnEmptyListIsNoGroup) {
    EXPECT_EQ(parse_span_groups("").mask, 0);
    EXPECT_THAT(parse_span_groups(" , ").unknown, IsEmpty());
}

}  // namespace
}  // namespace gym::telemetry::detail
