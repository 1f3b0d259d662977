// SPDX-License-Identifier: Apache-2.0
#include "http/placement.hpp"

namespace gym::telemetry::http {
namespace {

// The same number of shards for all.
class fixed_placement : public placement {
public:
    fixed_placement(std::size_t shards_max, std::int64_t connections_each)
        : placement(connections_each), shards_max_(shards_max) {}
    place take(const std::string& name) { return placement::take(name, shards_max_); }

private:
    std::size_t shards_max_;
};

TEST(Placement, GoesWhereTheConnectionUsedLastIsKept) {
    fixed_placement where(4, 1);
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
    fixed_placement where(4, 1);
    placement::place a = where.take("x");
    where.opened(10, a);
    where.give_back(a);
    const placement::place other = where.take("y");
    EXPECT_TRUE(other.expected);
    EXPECT_NE(other.shard, a.shard);
}

TEST(Placement, LostConnectionsArePassedOver) {
    fixed_placement where(4, 1);
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
    fixed_placement where(4, 1);
    placement::place a = where.take("x");
    where.opened(10, a);
    where.lost(10);
    where.give_back(a);
    EXPECT_TRUE(where.take("x").expected);
}

TEST(Placement, ConnectionsAreSpreadEvenlyBeforeAnyIsOpen) {
    fixed_placement where(4, 8);
    for (int i = 0; i < 64; ++i) where.take("x");
    ASSERT_EQ(where.shards(), 4u);
    for (std::size_t shard = 0; shard < 4; ++shard) EXPECT_EQ(where.connections(shard), 16);
}

TEST(Placement, ShardsAreBegunWhenTheyAreNeeded) {
    fixed_placement where(4, 8);
    for (int i = 0; i < 8; ++i) where.take("x");
    EXPECT_EQ(where.shards(), 1u);
    where.take("x");
    EXPECT_EQ(where.shards(), 2u);
}

TEST(Placement, SomeMayUseFewerShardsThanOthers) {
    placement where(1);
    for (int i = 0; i < 8; ++i) where.take("few", 2);
    EXPECT_EQ(where.shards(), 2u);
    for (int i = 0; i < 8; ++i) where.take("many", 4);
    ASSERT_EQ(where.shards(), 4u);
    for (std::size_t shard = 0; shard < 4; ++shard) EXPECT_EQ(where.connections(shard), 4);
    for (int i = 0; i < 2; ++i) EXPECT_LT(where.take("few", 2).shard, 2);
}

TEST(Placement, IdleIsWhatIsOpenAndNotUsed) {
    fixed_placement where(4, 1);
    placement::place a = where.take("x"), b = where.take("x");
    EXPECT_EQ(where.idle(), 0);
    where.opened(10, a);
    where.opened(11, b);
    EXPECT_EQ(where.idle(), 0);
    where.give_back(a);
    EXPECT_EQ(where.idle(), 1);
    EXPECT_EQ(where.open(a.shard), 1);
    where.take("y");
    EXPECT_EQ(where.idle(), 1) << "it opens one of its own";
    where.lost(10);
    EXPECT_EQ(where.idle(), 0);
    EXPECT_EQ(where.open(a.shard), 0);
    where.give_back(b);
    EXPECT_EQ(where.idle(), 1);
}

TEST(Placement, RequestThatNeverOpenedAConnectionLeavesNothing) {
    fixed_placement where(4, 8);
    where.give_back(where.take("x"));
    EXPECT_EQ(where.connections(0), 0);
    EXPECT_TRUE(where.take("x").expected);
}

// A kept connection was dead after all and curl opens another one for the same request.
TEST(Placement, ReplacedConnectionCountsOnce) {
    fixed_placement where(4, 8);
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
    fixed_placement where(4, 8);
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
    fixed_placement where(1, 8);
    placement::place kept = where.take("kept");
    where.opened(10, kept);
    where.give_back(kept);
    for (int i = 0; i < 5000; ++i) where.give_back(where.take("host" + std::to_string(i)));
    EXPECT_LT(where.origins(), 2100u);
    EXPECT_FALSE(where.take("kept").expected);
}

}  // namespace
}  // namespace gym::telemetry::http
