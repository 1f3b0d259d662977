// SPDX-License-Identifier: Apache-2.0
#include "sandbox/ledger.hpp"

#include "fake_provider.hpp"
#include "telemetry_fixture.hpp"

#include <gym/telemetry/ledger.hpp>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gym::telemetry::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class LedgerTest : public TelemetryTest {
protected:
    LedgerTest() {
        std::string name = testing::TempDir() + "ledger-XXXXXX";
        folder = std::string(mkdtemp(name.data())) + "/state/ledger";
        start();
    }
    ~LedgerTest() override { fs::remove_all(fs::path(folder).parent_path().parent_path()); }

    void start() {
        options block = all_groups();
        block.ledger = folder;
        begin(block);
    }
    // Runs in a child that is then killed.
    template <class Work>
    static pid_t killed_after(Work work) {
        const pid_t child = fork();
        if (child == 0) {
            work();
            raise(SIGKILL);
        }
        int status = 0;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
        return child;
    }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    fake_provider provider;
    std::string folder;
};

TEST_F(LedgerTest, SaysWhatThisProcessHolds) {
    auto box = provider.start();
    const auto entries = read_ledger(folder);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].provider, "fake");
    EXPECT_EQ(entries[0].id, "box-1");
    EXPECT_EQ(entries[0].pid, getpid());
    EXPECT_FALSE(entries[0].is_orphaned);
    box.release();
    EXPECT_THAT(read_ledger(folder), IsEmpty());
}

TEST_F(LedgerTest, IsForTheUserAlone) {
    const auto box = provider.start();
    struct stat about{};
    ASSERT_EQ(stat(folder.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0700u);
    ASSERT_EQ(stat(fs::directory_iterator(folder)->path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(LedgerTest, SurvivesKill) {
    const pid_t child = killed_after([&] {
        auto released = provider.start();
        released.release();
        new auto(provider.start());
    });
    const auto entries = read_ledger(folder);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].id, "box-1");
    EXPECT_EQ(entries[0].pid, child);
    EXPECT_TRUE(entries[0].is_orphaned);
}

TEST_F(LedgerTest, ChildOfAKilledProcessDoesNotHoldItsSandboxes) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    killed_after([&] {
        new auto(provider.start());
        if (fork() == 0) {  // lives on until the test ends it
            close(pipe_ends[1]);
            char byte;
            _exit(static_cast<int>(::read(pipe_ends[0], &byte, 1)));
        }
    });
    const auto entries = read_ledger(folder);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_TRUE(entries[0].is_orphaned);
}

TEST_F(LedgerTest, OrphanIsSaidAtTheNextStart) {
    killed_after([&] { new auto(provider.start()); });
    EXPECT_THAT(said.all(), IsEmpty());
    start();
    EXPECT_EQ(said.all().size(), 1u);
    EXPECT_TRUE(said.mentions({"fake", "box-1", "nobody holds", folder}));
}

TEST_F(LedgerTest, ForgetsOrphansOnly) {
    killed_after([&] { new auto(provider.start()); });
    const auto box = provider.start();
    EXPECT_EQ(forget_orphans(folder), 1);
    const auto entries = read_ledger(folder);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].pid, getpid());
}

TEST_F(LedgerTest, LostSandboxStaysAsAnOrphan) {
    provider.fail_release_with(final_error("gone"));
    auto box = provider.start();
    EXPECT_THROW(box.release(), final_error);
    const auto entries = read_ledger(folder);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_TRUE(entries[0].is_orphaned);
}

TEST_F(LedgerTest, ConnectedOnlyIsNotInIt) {
    const auto box = provider.connect();
    EXPECT_THAT(read_ledger(folder), IsEmpty());
}

TEST_F(LedgerTest, TakesMoreThanOneFileHolds) {
    std::vector<fake_sandbox> boxes;
    for (std::size_t i = 0; i <= detail::ledger_entries_per_file; ++i)
        boxes.push_back(provider.start());
    EXPECT_EQ(files(), 2u);
    EXPECT_EQ(read_ledger(folder).size(), detail::ledger_entries_per_file + 1);
    boxes.clear();
    EXPECT_THAT(read_ledger(folder), IsEmpty());
}

TEST_F(LedgerTest, LongNamesAreCut) {
    provider.create = [](sandbox_lifecycle&) { return std::string(5000, 'x'); };
    const auto box = provider.start();
    ASSERT_EQ(read_ledger(folder).size(), 1u);
    EXPECT_EQ(read_ledger(folder)[0].id, std::string(detail::ledger_id_bytes, 'x'));
}

TEST_F(LedgerTest, FilesThatAreNoneAreLeftAlone) {
    fs::create_directories(folder);
    std::ofstream(folder + "/short.ledger") << "gymldgr1";
    std::ofstream(folder + "/other.ledger") << std::string(sizeof(detail::ledger_layout), 'x');
    std::ofstream(folder + "/note.txt") << "gymldgr1";
    EXPECT_THAT(read_ledger(folder), IsEmpty());
    EXPECT_EQ(forget_orphans(folder), 0);
    EXPECT_EQ(files(), 3u);
}

// Sizes and states beyond what a writer writes are met without reading past the entry.
TEST_F(LedgerTest, DamagedEntriesAreBounded) {
    fs::create_directories(folder);
    std::string bytes(sizeof(detail::ledger_layout), '\xff');
    bytes.replace(0, detail::ledger_magic.size(), detail::ledger_magic);
    const std::uint32_t held = 1;
    std::memcpy(bytes.data() + 256, &held, sizeof held);
    std::ofstream(folder + "/damaged.ledger") << bytes;
    const auto entries = read_ledger(folder);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].provider.size(), detail::ledger_provider_bytes);
    EXPECT_EQ(entries[0].id.size(), detail::ledger_id_bytes);
}

TEST_F(LedgerTest, FolderThatCannotBeMadeIsSaidOnce) {
    folder = "/proc/no-such-folder/ledger";
    start();
    auto first = provider.start();
    auto second = provider.start();
    EXPECT_EQ(seen("gym.sandbox.active"), (std::map<std::string, double>{{"fake", 2}}));
    EXPECT_EQ(said.all().size(), 1u);
    EXPECT_TRUE(said.mentions({"ledger", folder}));
    folder = testing::TempDir() + "x/y/z";
}

TEST_F(LedgerTest, OffLeavesNoFile) {
    begin(all_groups());
    const auto box = provider.start();
    EXPECT_FALSE(fs::exists(folder));
}

TEST(LedgerFolder, IsWhatTheSettingMeans) {
    using detail::environment, detail::ledger_folder_of;
    const environment xdg({{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}});
    EXPECT_EQ(ledger_folder_of("/a/b", xdg), "/a/b");
    EXPECT_EQ(ledger_folder_of("", xdg), "");
    EXPECT_EQ(ledger_folder_of("off", xdg), "");
    EXPECT_EQ(ledger_folder_of("true", xdg), "/s/gym-telemetry/ledger");
    EXPECT_EQ(ledger_folder_of("1", environment({{"HOME", "/h"}})),
              "/h/.local/state/gym-telemetry/ledger");
    // The specification has relative paths ignored.
    EXPECT_EQ(ledger_folder_of("1", environment({{"XDG_STATE_HOME", "s"}})), "");
}

}  // namespace
}  // namespace gym::telemetry::test
