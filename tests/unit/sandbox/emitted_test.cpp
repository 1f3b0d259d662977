// SPDX-License-Identifier: Apache-2.0
#include "sandbox/emitted.hpp"

#include "telemetry_fixture.hpp"

#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/emitted.hpp>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry::test {
namespace {

namespace fs = std::filesystem;
using points = std::map<std::string, double>;

class EmittedTest : public TelemetryTest {
protected:
    EmittedTest() {
        std::string name = testing::TempDir() + "emitted-XXXXXX";
        folder = mkdtemp(name.data());
        file = folder + "/run/emitted.records";
    }
    ~EmittedTest() override { fs::remove_all(folder); }

    void append(std::string_view kind, std::string_view value) const {
        const auto record = detail::make_emitted(kind, value, "my provider");
        ASSERT_TRUE(record) << record.failure().text;
        ASSERT_TRUE(detail::append_emitted(file, *record));
    }
    std::string content() const {
        std::ifstream in(file);
        return (std::ostringstream() << in.rdbuf()).str();
    }

    std::string folder;
    std::string file;
};

TEST_F(EmittedTest, LinesBecomeOneStream) {
    append("sandbox-active", "+1");
    append("sandbox-active", "+1");
    append("sandbox-active", "-1");
    append("sandbox-startup", "1250.5");
    append("sandbox-exec", "20");
    append("create-retry", "");
    struct stat about{};
    ASSERT_EQ(stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
    const emitted_records seen_lines = record_emitted(file, true);
    EXPECT_TRUE(seen_lines.taken);
    EXPECT_EQ(seen_lines.recorded, 6);
    EXPECT_EQ(seen_lines.refused, 0);
    EXPECT_EQ(seen(sandbox_active_instrument), (points{{"my provider", 1}}));
    EXPECT_EQ(sums(sandbox_startup_instrument), (points{{"my provider", 1250.5}}));
    EXPECT_EQ(sums(sandbox_exec_instrument), (points{{"my provider", 20}}));
    EXPECT_EQ(seen(sandbox_create_retry_instrument), (points{{"my provider", 1}}));
    EXPECT_EQ(content(), "");
    EXPECT_EQ(record_emitted(file, true).recorded, 0);
}

TEST_F(EmittedTest, ValuesThatAreNoneAreRefused) {
    struct wrong {
        std::string_view kind, value, provider;
    };
    const std::array all = {
        wrong{"sandbox-startup", "-1", "p"}, wrong{"sandbox-startup", "nan", "p"},
        wrong{"sandbox-startup", "", "p"},   wrong{"sandbox-startup", "+5", "p"},
        wrong{"sandbox-startup", "5", ""},   wrong{"sandbox-startup", "5", "p\nq"},
        wrong{"sandbox-active", "0.5", "p"}, wrong{"sandbox-active", "1e30", "p"},
        wrong{"create-retry", "1", "p"},     wrong{"no-such-record", "1", "p"},
    };
    for (const wrong& each : all)
        EXPECT_FALSE(detail::make_emitted(each.kind, each.value, each.provider)) << each.value;
}

TEST_F(EmittedTest, DamagedLinesAreCountedAndLeaveTheOthers) {
    append("create-retry", "");
    std::ofstream(file, std::ios::app) << "\nsandbox-startup x p\nsandbox-startup 5\nnonsense 1 p\n"
                                          "sandbox-active 1e30 p\nsandbox-startup -5 p\n";
    append("create-retry", "");
    const emitted_records seen_lines = record_emitted(file, false);
    EXPECT_EQ(seen_lines.recorded, 2);
    EXPECT_EQ(seen_lines.refused, 6);
    EXPECT_EQ(content(), "");
}

TEST_F(EmittedTest, LinesStayWhileTheyCannotBeRecorded) {
    append("create-retry", "");
    set_group(span_group::sandbox, false);
    EXPECT_FALSE(record_emitted(file, true).taken);
    shutdown();
    EXPECT_FALSE(record_emitted(file, true).taken);
    EXPECT_NE(content(), "");
}

TEST_F(EmittedTest, MissingFileIsAnEmptyOne) {
    EXPECT_TRUE(record_emitted(folder + "/none", true).taken);
}

TEST_F(EmittedTest, WritersLoseNothingWhileAnotherTakesLinesConcurrentSafe) {
    constexpr int writers = 4, lines = 200;
    append("create-retry", "");
    std::vector<std::thread> threads;
    std::atomic<int> running = writers;
    for (int i = 0; i < writers; ++i)
        threads.emplace_back([&] {
            for (int line = 0; line < lines; ++line) append("create-retry", "");
            --running;
        });
    std::int64_t recorded = 0;
    while (running > 0) recorded += record_emitted(file, false).recorded;
    for (std::thread& thread : threads) thread.join();
    recorded += record_emitted(file, false).recorded;
    EXPECT_EQ(recorded, writers * lines + 1);
    EXPECT_EQ(seen(sandbox_create_retry_instrument),
              (points{{"my provider", writers * lines + 1}}));
}

TEST(EmittedFile, StandsInTheSpoolOrBelowTheState) {
    using detail::emitted_file_of, detail::environment;
    EXPECT_EQ(emitted_file_of(environment({{"NEMO_GYM_OTEL_SPOOL", "/spool"}, {"HOME", "/h"}})),
              "/spool/emitted.records");
    EXPECT_EQ(emitted_file_of(environment({{"HOME", "/h"}, {"NEMO_GYM_OTEL_RUN_ID", "a/b"}})),
              "/h/.local/state/gym-telemetry/emitted-a_b.records");
    EXPECT_EQ(emitted_file_of(environment({{"XDG_STATE_HOME", "/s"}, {"SLURM_JOB_ID", "7"}})),
              "/s/gym-telemetry/emitted-7.records");
    EXPECT_EQ(emitted_file_of(environment()), "");
}

}  // namespace
}  // namespace gym::telemetry::test
