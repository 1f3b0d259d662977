// SPDX-License-Identifier: Apache-2.0
#include "http/placement.hpp"

#include <set>

namespace gym::telemetry::http {
namespace {

TEST(Placement, GoesWhereTheConnectionUsedLastIsKept) {
    placement where(4, 1);
    placement::place a = where.take("x"), b = where.take("x");
    EXPECT_NE(a.shard, b.shard) << "each shard takes one connection";
    where.opened(10, a);
    where.opened(11, b);
    where.give_back(a);
    where.give_back(b);
    const placement::place again = where.take("x");
    EXPECT_EQ(again.shard, b.shard);
    EXPECT_FALSE(again.expected);
    EXPECT_EQ(where.take("x").shard, a.shard);
}

TEST(Placement, ConnectionsOfAnotherOriginAreOfNoUse) {
    placement where(4, 1);
    placement::place a = where.take("x");
    where.opened(10, a);
    where.give_back(a);
    const placement::place other = where.take("y");
    EXPECT_TRUE(other.expected);
    EXPECT_NE(other.shard, a.shard);
}

TEST(Placement, LostConnectionsArePassedOver) {
    placement where(4, 1);
    placement::place a = where.take("x"), b = where.take("x");
    where.opened(10, a);
    where.opened(11, b);
    where.give_back(a);
    where.give_back(b);
    where.lost(11);
    where.lost(11);  // its hang-up first, its close later
    const placement::place again = where.take("x");
    EXPECT_EQ(again.shard, a.shard);
    EXPECT_FALSE(again.expected);
    EXPECT_TRUE(where.take("x").expected) << "none is left";
}

TEST(Placement, ConnectionThatEndedWithItsRequestIsNotKept) {
    placement where(4, 1);
    placement::place a = where.take("x");
    where.opened(10, a);
    where.lost(10);
    where.give_back(a);
    EXPECT_TRUE(where.take("x").expected);
}

TEST(Placement, ConnectionsAreSpreadEvenlyBeforeAnyIsOpen) {
    placement where(4, 8);
    for (int i = 0; i < 64; ++i) where.take("x");
    ASSERT_EQ(where.shards(), 4u);
    for (std::size_t shard = 0; shard < 4; ++shard) EXPECT_EQ(where.connections(shard), 16);
}

TEST(Placement, ShardsAreBegunWhenTheyAreNeeded) {
    placement where(4, 8);
    for (int i = 0; i < 8; ++i) where.take("x");
    EXPECT_EQ(where.shards(), 1u);
    where.take("x");
    EXPECT_EQ(where.shards(), 2u);
}

TEST(Placement, RequestThatNeverOpenedAConnectionLeavesNothing) {
    placement where(4, 8);
    where.give_back(where.take("x"));
    EXPECT_EQ(where.connections(0), 0);
    EXPECT_TRUE(where.take("x").expected);
}

// A kept connection was dead after all and curl opens another one for the same request.
TEST(Placement, ReplacedConnectionCountsOnce) {
    placement where(4, 8);
    placement::place a = where.take("x");
    where.opened(10, a);
    where.give_back(a);
    placement::place again = where.take("x");
    where.lost(10);
    where.opened(11, again);
    EXPECT_EQ(where.connections(0), 1);
    where.give_back(again);
    EXPECT_FALSE(where.take("x").expected);
}

TEST(Placement, DescriptorUsedAgainWithoutAWordStandsForTheNewSocket) {
    placement where(4, 8);
    placement::place a = where.take("x"), b = where.take("y");
    where.opened(10, a);
    where.opened(10, b);
    EXPECT_EQ(where.connections(0), 1);
    where.give_back(a);
    where.give_back(b);
    EXPECT_TRUE(where.take("x").expected);
    EXPECT_FALSE(where.take("y").expected);
}

TEST(Placement, OriginsWithoutConnectionsAreForgotten) {
    placement where(1, 8);
    placement::place kept = where.take("kept");
    where.opened(10, kept);
    where.give_back(kept);
    for (int i = 0; i < 5000; ++i) where.give_back(where.take("host" + std::to_string(i)));
    EXPECT_LT(where.origins(), 2100u);
    EXPECT_FALSE(where.take("kept").expected);
}

}  // namespace
}  // namespace gym::telemetry::http
