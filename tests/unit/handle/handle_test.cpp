// SPDX-License-Identifier: Apache-2.0
#include "handle/testing.hpp"

#include <gym/telemetry/telemetry.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry {
namespace {

options in_memory() {
    return {
        .enabled = true, .span_groups = "all", .exporter = "memory", .ignore_environment = true};
}

std::int64_t total_of(const collection& from, std::string_view instrument) {
    std::int64_t total = 0;
    for (const point& p : from.points)
        if (p.instrument == instrument) total += std::get<std::int64_t>(p.value);
    return total;
}

class Handle : public testing::Test {
protected:
    ~Handle() override { shutdown(); }
};

TEST_F(Handle, IsOffUntilItIsInitialised) {
    EXPECT_FALSE(is_exporting());
    record_sandbox_create_retry("p");
    EXPECT_TRUE(collect().points.empty());
    EXPECT_FALSE(metrics_enabled());
    EXPECT_TRUE(flush());
    EXPECT_TRUE(shutdown());
}

TEST_F(Handle, StaysOffWhenItIsNotEnabled) {
    telemetry& handle = init({.exporter = "memory", .ignore_environment = true});
    EXPECT_FALSE(handle.is_exporting());
    EXPECT_FALSE(is_exporting());
}

// Threads and descriptors of this process.
std::pair<std::size_t, std::size_t> threads_and_descriptors() {
    const auto entries = [](const char* folder) {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder), {}));
    };
    return {entries("/proc/self/task"), entries("/proc/self/fd")};
}

TEST_F(Handle, WhileItIsNotEnabledThereIsNoThreadAndNoSocket) {
    const auto before = threads_and_descriptors();
    init({.exporter = "otlp,console", .ignore_environment = true});
    record_sandbox_create_retry("p");
    flush();
    EXPECT_EQ(threads_and_descriptors(), before);
}

TEST_F(Handle, TheLibraryPrintsNothingByItself) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    options block = in_memory();
    block.span_groups = "no_such_group";
    block.health_check_ignored_checks = std::vector<std::string>{"no_such_check"};
    init(block);
    record_sandbox_startup(-1, "p");
    register_http_connection_pool_connect_counter(
        []() -> std::map<std::string, int> { throw std::runtime_error("no"); });
    collect();
    shutdown();
    init({.enabled = true, .exporter = "pigeon", .ignore_environment = true});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Handle, RecordsBetweenInitAndShutdown) {
    EXPECT_TRUE(init(in_memory()).is_exporting());
    record_sandbox_create_retry("p");
    EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 1);
    EXPECT_TRUE(shutdown());
    record_sandbox_create_retry("p");
    EXPECT_FALSE(is_exporting());
    EXPECT_EQ(total_of(detail::last_collection(), sandbox_create_retry_instrument), 1);
}

TEST_F(Handle, ASecondInitReturnsTheHandleInForce) {
    telemetry& first = init(in_memory());
    record_sandbox_create_retry("p");
    options other = in_memory();
    other.service_name = "other";
    telemetry& second = init(other);
    EXPECT_EQ(&first, &second);
    EXPECT_EQ(second.effective_settings().service_name, "nemo-gym");
    EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 1);
}

TEST_F(Handle, AnInitAfterAShutdownBeginsAfresh) {
    init(in_memory());
    record_sandbox_create_retry("p");
    shutdown();
    init(in_memory());
    EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 0);
    record_sandbox_create_retry("p");
    EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 1);
}

TEST_F(Handle, FirstInitsAtTheSameTimeInitialiseOnceConcurrentSafe) {
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> all;
        for (int t = 0; t < 4; ++t)
            all.emplace_back([] {
                init(in_memory());
                record_sandbox_create_retry("p");
            });
        for (auto& thread : all) thread.join();
        EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 4);
        shutdown();
    }
}

TEST_F(Handle, GatesFollowTheGroupsAndTheSignals) {
    options block = in_memory();
    block.span_groups = "default";
    init(block);
    EXPECT_TRUE(span_group_enabled(span_group::rollout));
    EXPECT_FALSE(span_group_enabled(span_group::sandbox));
    EXPECT_TRUE(metrics_enabled());
    shutdown();
    EXPECT_FALSE(span_group_enabled(span_group::rollout));
    EXPECT_FALSE(metrics_enabled());
}

TEST_F(Handle, WithMetricsOffNothingIsRecorded) {
    options block = in_memory();
    block.metrics_enabled = false;
    EXPECT_TRUE(init(block).is_exporting());
    record_sandbox_create_retry("p");
    EXPECT_FALSE(metrics_enabled());
    EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 0);
}

TEST_F(Handle, ADiagnosticsHandlerMayCallBackIn) {
    set_diagnostics_handler([](const diagnostic&, void*) {
        init();
        shutdown();
    });
    options block = in_memory();
    block.span_groups = "no_such_group";
    init(block);
    set_diagnostics_handler(nullptr);
    EXPECT_TRUE(is_exporting());
}

TEST_F(Handle, AForkedChildBeginsFromZero) {
    init(in_memory());
    record_sandbox_create_retry("p");
    const pid_t child = fork();
    if (child == 0) {
        record_sandbox_create_retry("p");
        record_sandbox_create_retry("p");
        _exit(total_of(collect(), sandbox_create_retry_instrument) == 2 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(total_of(collect(), sandbox_create_retry_instrument), 1);
}

TEST_F(Handle, AForkWhileOthersRecordNeverHangsTheChildConcurrentSafe) {
    init(in_memory());
    std::atomic<bool> stop{false};
    std::vector<std::thread> recorders;
    for (int t = 0; t < 2; ++t)
        recorders.emplace_back([&, t] {
            for (int i = 0; !stop.load(); ++i)
                record_sandbox_create_retry("p" + std::to_string(t) + std::to_string(i % 50));
        });
    for (int i = 0; i < 10; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            record_sandbox_create_retry("child");
            _exit(total_of(collect(), sandbox_create_retry_instrument) == 1 ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    stop = true;
    for (auto& thread : recorders) thread.join();
}

TEST_F(Handle, EachReaderSeesEverything) {
    options block = in_memory();
    block.memory_readers = 2;
    init(block);
    record_sandbox_create_retry("p");
    EXPECT_EQ(total_of(collect(0), sandbox_create_retry_instrument), 1);
    EXPECT_EQ(total_of(collect(1), sandbox_create_retry_instrument), 1);
    EXPECT_TRUE(collect(2).points.empty());
    EXPECT_TRUE(collect(-1).points.empty());
}

}  // namespace
}  // namespace gym::telemetry
