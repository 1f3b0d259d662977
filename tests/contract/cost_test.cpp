// SPDX-License-Identifier: Apache-2.0
//
// What the library may cost its host: allocations of a record, memory of threads that come and go,
// thread-local storage. A program of its own, since it replaces operator new.
#include "allocation_count.hpp"
#include "engine/threads.hpp"
#include "sanitizers.hpp"

#include <gym/telemetry/telemetry.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gym::telemetry {
namespace {

long resident_kib() {
    std::FILE* status = std::fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;
    while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
        if (std::sscanf(line, "VmRSS: %ld kB", &kib) == 1) break;
    if (status != nullptr) std::fclose(status);
    return kib;
}

class Cost : public testing::Test {
protected:
    Cost() {
        init({.enabled = true,
              .span_groups = "all",
              .exporter = "memory",
              .ignore_environment = true});
    }
    ~Cost() override { shutdown(); }
};

void record_each(const std::string& provider) {
    record_sandbox_active(1, provider);
    record_sandbox_startup(900, provider);
    record_sandbox_exec_duration(12, provider);
    record_sandbox_create_retry(provider);
    record_server_startup_stage(5, "load_config", "srv", "", true);
    record_http_connection_pool_queue_duration(30, "per_host", "ok", provider);
    record_http_connection_pool_connect_duration(3, "failed", provider);
    record_rollout_completed("failed", provider, {"agent_run_error", "Boom at 10.0.0.7", "Boom"});
    record_rollout_reward(0.5, provider, false);
    record_rollout_health("unhealthy", "scored", {"a_check", "a_check", "b"});
    record_rollout_duration(1);
    record_verify(1, true);
    record_active_servers(3);
    record_server_request(1);
}

TEST_F(Cost, ARecordIntoAKnownSeriesAllocatesNothing) {
    const std::string provider = "docker";
    const std::string other = "opensandbox with a name that is a little longer";
    record_each(provider);
    record_each(other);
    const auto bound = bind_sandbox_startup(provider);
    bound.record(1);
    const std::uint64_t before = test::allocations();
    for (int i = 0; i < 1000; ++i) {
        record_each(i % 2 == 0 ? provider : other);
        bound.record(i);
    }
    EXPECT_EQ(test::allocations(), before);
}

TEST_F(Cost, ARecordIntoTheOverflowSeriesAllocatesNothing) {
    shutdown();
    init({.enabled = true,
          .exporter = "memory",
          .cardinality_limit = 1,
          .ignore_environment = true});
    record_sandbox_create_retry("first");
    record_sandbox_create_retry("second");
    const std::uint64_t before = test::allocations();
    for (int i = 0; i < 1000; ++i) record_sandbox_create_retry(i % 2 == 0 ? "third" : "fourth");
    EXPECT_EQ(test::allocations(), before);
}

#ifndef GYM_TELEMETRY_SANITIZED  // a sanitizer's allocations cannot be made to fail
// Whichever allocation fails, it costs one record at most, and no series is there twice.
TEST_F(Cost, MemoryThatRunsOutOnceLosesOneRecord) {
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) names.push_back("provider number " + std::to_string(i));
    for (std::uint64_t good = 0; good < 150; ++good) {
        shutdown();
        init({.enabled = true, .exporter = "memory", .ignore_environment = true});
        test::fail_allocation_after(good);
        for (int round = 0; round < 3; ++round) {
            for (const std::string& name : names) {
                record_sandbox_active(1, name);
                record_rollout_completed("failed", name, {"c", "white space", "T"});
            }
        }
        test::fail_no_allocation();
        std::int64_t total = 0;
        std::size_t series = 0;
        for (const point& p : collect().points) {
            if (p.instrument != sandbox_active_instrument &&
                p.instrument != rollout_completed_instrument)
                continue;
            ++series;
            total += std::get<std::int64_t>(p.value);
        }
        EXPECT_EQ(series, 2 * names.size()) << good;
        EXPECT_GE(total, std::int64_t(6 * names.size() - 1)) << good;
        EXPECT_LE(total, std::int64_t(6 * names.size())) << good;
    }
}
#endif

TEST_F(Cost, WhileItIsOffNothingIsAllocated) {
    shutdown();
    const std::string provider = "docker";
    const std::uint64_t before = test::allocations();
    record_each(provider);
    EXPECT_EQ(test::allocations(), before);
}

TEST_F(Cost, AThousandThreadsLeaveNothingBehind) {
    [[maybe_unused]] long after_100 = 0;
    for (int i = 0; i < 1000; ++i) {
        std::thread([] {
            for (int s = 0; s < 50; ++s) record_sandbox_startup(s, "p" + std::to_string(s));
        }).join();
        if (i == 99) after_100 = resident_kib();
    }
    EXPECT_EQ(engine::current_generation()->live_blocks(), 1u);
#ifndef GYM_TELEMETRY_SANITIZED
    EXPECT_LE(resident_kib() - after_100, 1024);
#endif
}

TEST_F(Cost, AThreadThatNeverRecordsHasNoBlock) {
    const std::size_t before = engine::current_generation()->live_blocks();
    std::thread([] { EXPECT_TRUE(is_exporting()); }).join();
    EXPECT_EQ(engine::current_generation()->live_blocks(), before);
}

}  // namespace
}  // namespace gym::telemetry
