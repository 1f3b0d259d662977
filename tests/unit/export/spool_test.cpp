// SPDX-License-Identifier: Apache-2.0
#include "export/spool.hpp"

#include "export_fixture.hpp"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace gym::telemetry::detail {
namespace {

namespace fs = std::filesystem;
using counts = std::map<std::string, std::int64_t>;

class Spool : public ExportTest {
protected:
    Spool() {
        std::string pattern = ::testing::TempDir() + "spool_XXXXXX";
        base = mkdtemp(pattern.data());
        folder = base / "spool";
        config.spool = folder;
    }
    ~Spool() override { fs::remove_all(base); }

    std::vector<fs::path> files() const {
        if (!fs::exists(folder)) return {};
        std::vector<fs::path> found(fs::directory_iterator(folder), fs::directory_iterator{});
        return found;
    }

    // A process that could not send: what it recorded lies in the spool.
    void leave_behind(int records) {
        fake_collector collector;
        send_to(collector);
        collector.close_port();
        const auto pipeline = start();
        for (int i = 0; i < records; ++i) count("a");
        EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
        begin_anew();
    }

    fs::path base;
    fs::path folder;
};

TEST_F(Spool, KeepsWhatALastFlushCouldNotSendForTheNextStart) {
    leave_behind(5);
    ASSERT_EQ(files().size(), 1u);
    EXPECT_EQ(files()[0].filename(), "instance.otlp.jsonl");
    EXPECT_EQ(fs::status(files()[0]).permissions() & fs::perms(077), fs::perms::none);

    fake_collector collector;
    send_to(collector);
    const auto next = start();
    ASSERT_TRUE(collector.wait_for_requests(1));
    EXPECT_EQ(counts_in(collector.requests()[0].body), (counts{{"a", 5}}));
    EXPECT_TRUE(next->flush(in(milliseconds(5000))));
    EXPECT_TRUE(files().empty());
}

TEST_F(Spool, SendsADeltaBatchThatMayHaveArrivedAsTheSameBytes) {
    config.temporality_preference = "delta";
    std::string first;
    {
        fake_collector collector({{.status = 503, .retry_after = "3600"}});
        send_to(collector);
        const auto pipeline = start();
        count("a");
        EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
        count("a");
        count("a");
        EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
        first = collector.requests()[0].body;
        begin_anew();
    }
    fake_collector collector;
    send_to(collector);
    const auto next = start();
    ASSERT_TRUE(collector.wait_for_requests(2));
    EXPECT_EQ(collector.requests()[0].body, first);
    EXPECT_EQ(counts_in(collector.requests()[1].body), (counts{{"a", 2}}));
}

TEST_F(Spool, KeepsWhatIsLeftWhenTheReceiverFailsInTheMiddle) {
    config.temporality_preference = "delta";
    {
        fake_collector collector({{.status = 503, .retry_after = "3600"}});
        send_to(collector);
        const auto pipeline = start();
        count("a");
        EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
        count("b");
        EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
        begin_anew();
    }
    {
        fake_collector collector({{.status = 200}, {.status = 503, .retry_after = "3600"}});
        send_to(collector);
        const auto next = start();
        ASSERT_TRUE(collector.wait_for_requests(2));
        EXPECT_TRUE(next->shutdown(in(milliseconds(5000)))) << "nothing of its own to send";
    }
    ASSERT_EQ(files().size(), 1u);
    fake_collector collector;
    send_to(collector);
    const auto last = start();
    ASSERT_TRUE(collector.wait_for_requests(1));
    EXPECT_EQ(counts_in(collector.requests()[0].body).count("b"), 1u);
}

TEST_F(Spool, AFinalErrorIsNotKept) {
    fake_collector collector({{.status = 400}});
    send_to(collector);
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_TRUE(files().empty());
}

TEST_F(Spool, AFileThatAnotherProcessHoldsIsLeftToIt) {
    leave_behind(1);
    const int held = ::open(files()[0].c_str(), O_RDONLY);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);
    fake_collector collector;
    send_to(collector);
    const auto next = start();
    EXPECT_TRUE(next->shutdown(in(milliseconds(5000))));
    EXPECT_EQ(collector.attempts(), 0u);
    EXPECT_EQ(files().size(), 1u);
    ::close(held);
}

TEST_F(Spool, LinesThatCannotBeReadAreNamedAndLeftOut) {
    leave_behind(3);
    {
        std::ofstream(files()[0], std::ios::app) << "nonsense\n";
    }
    fake_collector collector;
    send_to(collector);
    const auto next = start();
    ASSERT_TRUE(collector.wait_for_requests(1));
    EXPECT_TRUE(next->shutdown(in(milliseconds(5000))));
    EXPECT_TRUE(complaints.mentions({"instance.otlp.jsonl", "line 2"}));
    EXPECT_TRUE(files().empty());
}

TEST_F(Spool, IsLimited) {
    fs::create_directories(folder);
    {
        std::ofstream file(folder / "other.otlp.jsonl");
    }
    fs::resize_file(folder / "other.otlp.jsonl", static_cast<std::uintmax_t>(spool_bytes_max));
    spool full(folder, "mine");
    EXPECT_EQ(full.waiting_bytes(), spool_bytes_max);
    EXPECT_FALSE(full.keep(signal_kind::metrics, ""));
    EXPECT_TRUE(complaints.mentions({folder, "full"}));
}

TEST_F(Spool, AFolderThatCannotBeMadeIsNamed) {
    spool nowhere("/proc/no/such", "mine");
    EXPECT_FALSE(nowhere.keep(signal_kind::metrics, ""));
    EXPECT_TRUE(complaints.mentions({"/proc/no/such", "lost"}));
}

}  // namespace
}  // namespace gym::telemetry::detail
