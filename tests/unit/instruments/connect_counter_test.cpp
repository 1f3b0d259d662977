// SPDX-License-Identifier: Apache-2.0
#include "instruments_fixture.hpp"

#include <gym/telemetry/observable.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gym::telemetry {
namespace {

using ConnectCounter = InstrumentsTest;
using series = std::map<std::string, double>;
using counts = std::map<std::string, int>;

TEST_F(ConnectCounter, ReportsWhatTheCallbackReturns) {
    register_http_connection_pool_connect_counter(
        [] { return counts{{"model", 3}, {"judge", 1}}; });
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"model", 3}, {"judge", 1}}));
}

TEST_F(ConnectCounter, TheFirstRegistrationOfAGenerationWins) {
    register_http_connection_pool_connect_counter([] { return counts{{"first", 1}}; });
    EXPECT_FALSE(scoped_http_connection_pool_connect_counter([] { return counts{{"2nd", 1}}; }));
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"first", 1}}));
    begin();
    register_http_connection_pool_connect_counter([] { return counts{{"next", 1}}; });
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"next", 1}}));
}

TEST_F(ConnectCounter, DropsValuesThatAreNoCount) {
    register_http_connection_pool_connect_counter([] {
        return std::vector<std::pair<std::string, std::uint64_t>>{
            {"m", std::numeric_limits<std::uint64_t>::max()}, {"n", 2}};
    });
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"n", 2}}));
    begin();
    register_http_connection_pool_connect_counter([] { return counts{{"m", -1}, {"n", 2}}; });
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"n", 2}}));
    EXPECT_EQ(seen("gym.telemetry.dropped_total").size(), 1u);
}

TEST_F(ConnectCounter, AScopedRegistrationEndsWithItsOwner) {
    {
        auto mine = scoped_http_connection_pool_connect_counter([] { return counts{{"m", 1}}; });
        EXPECT_TRUE(mine);
        auto moved = std::move(mine);
        EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"m", 1}}));
    }
    EXPECT_TRUE(seen(http_connection_pool_connect_instrument).empty());
    EXPECT_TRUE(scoped_http_connection_pool_connect_counter([] { return counts{}; }));
}

TEST_F(ConnectCounter, TheEndOfARegistrationWaitsForARunningCallbackConcurrentSafe) {
    std::atomic<bool> entered{false};
    std::atomic<bool> leave{false};
    std::atomic<bool> left{false};
    auto mine = scoped_http_connection_pool_connect_counter([&] {
        entered = true;
        while (!leave) std::this_thread::yield();
        left = true;
        return counts{{"m", 1}};
    });
    std::thread collector([this] { seen(http_connection_pool_connect_instrument); });
    while (!entered) std::this_thread::yield();
    std::thread helper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        leave = true;
    });
    mine.reset();
    EXPECT_TRUE(left);
    collector.join();
    helper.join();
}

TEST_F(ConnectCounter, ACallbackMayEndItsOwnRegistration) {
    registration mine;
    mine = scoped_http_connection_pool_connect_counter([&mine] {
        mine.reset();
        return counts{{"m", 1}};
    });
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"m", 1}}));
    EXPECT_TRUE(seen(http_connection_pool_connect_instrument).empty());
}

TEST_F(ConnectCounter, ARegistrationMayOutliveItsGeneration) {
    auto mine = scoped_http_connection_pool_connect_counter([] { return counts{{"m", 1}}; });
    begin();
    EXPECT_TRUE(seen(http_connection_pool_connect_instrument).empty());
    mine.reset();
    register_http_connection_pool_connect_counter([] { return counts{{"n", 1}}; });
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"n", 1}}));
}

TEST_F(ConnectCounter, ACallbackThatThrowsIsAskedAgain) {
    bool fail = true;
    register_http_connection_pool_connect_counter([&] {
        if (fail) throw std::runtime_error("not now");
        return counts{{"m", 4}};
    });
    EXPECT_TRUE(seen(http_connection_pool_connect_instrument).empty());
    fail = false;
    EXPECT_EQ(seen(http_connection_pool_connect_instrument), (series{{"m", 4}}));
}

}  // namespace
}  // namespace gym::telemetry
