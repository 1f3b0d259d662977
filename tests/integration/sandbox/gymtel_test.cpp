// SPDX-License-Identifier: Apache-2.0
//
// gymtel sandboxes and the stamps of gymtel emit, as processes of their own.
#include "shell_command.hpp"

#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/sandbox.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <simdjson.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry {
namespace {

namespace fs = std::filesystem;
namespace dom = simdjson::dom;
using testing::HasSubstr;

class Gymtel : public testing::Test {
protected:
    Gymtel() {
        std::string name = testing::TempDir() + "gymtel-XXXXXX";
        folder = mkdtemp(name.data());
        ledger = folder + "/ledger";
    }
    ~Gymtel() override {
        shutdown();
        fs::remove_all(folder);
    }

    test::answer run(const std::string& arguments, const std::string& environment = "") const {
        const std::string command = "XDG_STATE_HOME=" + folder + ' ' + environment + ' ' +
                                    GYM_TELEMETRY_BINARY_DIR "/bin/gymtel " + arguments;
        return test::run_shell(command);
    }
    // Returns what holds it: the process ends first, or the test lets it go.
    auto hold(const std::string& id) const {
        init({.enabled = true,
              .span_groups = "all",
              .exporter = "memory",
              .ledger = ledger,
              .ignore_environment = true});
        return start_sandbox("docker", [id] { return id; }, [] {});
    }
    // In a process that is killed while it holds the sandbox.
    void hold_and_die(const std::string& id) const {
        const pid_t child = fork();
        if (child == 0) {
            const auto held = hold(id);
            raise(SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
    }

    std::string folder;
    std::string ledger;
};

TEST_F(Gymtel, ListsSandboxesHeldAndOrphaned) {
    hold_and_die("dead-1");
    const auto mine = hold("mine-1");
    const test::answer json = run("sandboxes --json --ledger " + ledger);
    ASSERT_EQ(json.code, 0) << json.out;
    dom::parser parser;
    const dom::array entries = parser.parse(json.out)["sandboxes"];
    ASSERT_EQ(entries.size(), 2u);
    const auto text = [&](std::size_t i, const char* key) {
        return std::string(std::string_view(entries.at(i)[key]));
    };
    EXPECT_EQ(text(0, "id"), "dead-1");
    EXPECT_EQ(text(0, "state"), "orphaned");
    EXPECT_EQ(text(1, "id"), "mine-1");
    EXPECT_EQ(text(1, "state"), "held");
    EXPECT_EQ(text(1, "provider"), "docker");
    EXPECT_EQ(std::int64_t(entries.at(1)["pid"]), getpid());
    EXPECT_GE(double(entries.at(1)["age_seconds"]), 0);

    EXPECT_THAT(run("sandboxes --ledger " + ledger).out, HasSubstr("orphaned"));
    // The environment names the ledger as well; what is forgotten is shown first.
    EXPECT_THAT(run("sandboxes --forget", "NEMO_GYM_OTEL_LEDGER=" + ledger).out,
                HasSubstr("dead-1"));
    const std::string left = run("sandboxes --ledger " + ledger).out;
    EXPECT_THAT(left, HasSubstr("mine-1"));
    EXPECT_THAT(left, testing::Not(HasSubstr("dead-1")));
}

TEST_F(Gymtel, PrintsStampsForLaunchShells) {
    for (const auto& [which, name] :
         {std::pair("spawn", "SPAWN"), {"setup-done", "SETUP_DONE"}, {"serve", "SERVE"}}) {
        const test::answer stamp = run(std::string("emit startup-stamp ") + which);
        EXPECT_EQ(stamp.code, 0);
        EXPECT_THAT(stamp.out, testing::MatchesRegex(std::string("NEMO_GYM_STARTUP_") + name +
                                                     "_NS=[0-9]+\n"));
    }
    EXPECT_EQ(run("emit startup-stamp never").code, 2);
    EXPECT_EQ(run("emit sandbox-startup --provider p -5").code, 2);
    EXPECT_EQ(run("emit sandbox-startup 5").code, 2);
}

}  // namespace
}  // namespace gym::telemetry
