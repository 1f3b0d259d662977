// SPDX-License-Identifier: Apache-2.0
#include "export_fixture.hpp"

#include <clocale>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry::detail {
namespace {

class JsonLines : public ExportTest {
protected:
    JsonLines() {
        std::string pattern = ::testing::TempDir() + "json_lines_XXXXXX";
        folder = mkdtemp(pattern.data());
        path = folder / "telemetry.jsonl";
        config.exporters = {"file"};
        config.file = path;
    }
    ~JsonLines() override { std::filesystem::remove_all(folder); }

    std::vector<std::string> lines() const {
        std::ifstream file(path);
        std::vector<std::string> result;
        for (std::string line; std::getline(file, line);) result.push_back(line);
        return result;
    }

    static std::int64_t count_in(const std::string& line) {
        metrics_request request;
        EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &request).ok()) << line;
        return counts_in(request.SerializeAsString()).at("a");
    }

    std::filesystem::path folder;
    std::filesystem::path path;
};

TEST_F(JsonLines, EveryExportIsALineThatLibprotobufReads) {
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->flush(in(milliseconds(5000))));
    count("a");
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    const auto written = lines();
    ASSERT_EQ(written.size(), 2u);
    EXPECT_EQ(count_in(written[0]), 1);
    EXPECT_EQ(count_in(written[1]), 2);
}

TEST_F(JsonLines, AppendsToWhatIsThereAndKeepsItPrivate) {
    {
        std::ofstream(path) << "{\"before\":true}\n";
    }
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const auto pipeline = start();
    count("a");
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_EQ(lines().size(), 2u);
    EXPECT_EQ(lines()[0], "{\"before\":true}");

    config.file = folder / "fresh.jsonl";
    const auto other = start();
    struct stat found{};
    ASSERT_EQ(::stat(config.file.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0077, 0u);
}

TEST_F(JsonLines, AFileThatCannotBeOpenedIsNamed) {
    config.file = folder / "no" / "such" / "folder.jsonl";
    EXPECT_EQ(start(), nullptr);
    EXPECT_TRUE(complaints.mentions({config.file, "No such file"}));
}

TEST_F(JsonLines, AFullDiskIsReportedAndDoesNotEndTheExport) {
    config.file = "/dev/full";
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    EXPECT_FALSE(pipeline->shutdown(in(milliseconds(5000))));
    EXPECT_TRUE(complaints.mentions({"/dev/full", "No space"}));
}

// A stdout of the test's own, a pipe.
class captured_stdout {
public:
    captured_stdout() {
        if (::pipe(pipe_) != 0) throw std::runtime_error("no pipe");
        kept_ = ::dup(STDOUT_FILENO);
        ::dup2(pipe_[1], STDOUT_FILENO);
    }
    std::string take() {
        ::dup2(kept_, STDOUT_FILENO);
        ::close(pipe_[1]);
        std::string text;
        char bytes[4096];
        for (ssize_t n = 0; (n = ::read(pipe_[0], bytes, sizeof bytes)) > 0;)
            text.append(bytes, static_cast<std::size_t>(n));
        ::close(pipe_[0]);
        ::close(kept_);
        return text;
    }

private:
    int pipe_[2];
    int kept_;
};

TEST_F(JsonLines, ConsoleWritesTheSameLinesWhateverTheLocale) {
    config.exporters = {"console"};
    const auto pipeline = start();
    // The comma of a German locale; where the machine lacks it the test still holds.
    const std::string before = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    time(0.375, "a");
    captured_stdout out;
    EXPECT_TRUE(pipeline->shutdown(in(milliseconds(5000))));
    const std::string text = out.take();
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_NE(text.find("\"sum\":0.375"), text.npos) << text;
    EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST_F(JsonLines, SeveralExportersEachSeeEverything) {
    fake_collector collector({{.status = 503, .retry_after = "3600"}});
    send_to(collector);
    config.exporters = {"otlp", "file"};
    config.temporality_preference = "delta";
    const auto pipeline = start();
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    count("a");
    count("a");
    EXPECT_FALSE(pipeline->flush(in(milliseconds(5000))));
    const auto written = lines();
    ASSERT_EQ(written.size(), 2u);
    EXPECT_EQ(count_in(written[0]), 1);
    EXPECT_EQ(count_in(written[1]), 2);
}

}  // namespace
}  // namespace gym::telemetry::detail
