// SPDX-License-Identifier: Apache-2.0
#include "export/spool.hpp"

#include "base/diagnostics.hpp"
#include "otlp/json.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".otlp.jsonl";

std::string text_of_errno(int code) {
    return std::generic_category().message(code);
}

void complain(const std::string& path, std::string_view what) {
    diagnose("export.spool", "spool: " + path + ": " + std::string(what), path);
}

// An open file with its lock. The lock goes with the descriptor.
class locked_file {
public:
    locked_file(const std::string& path, int flags, int lock) noexcept
        : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
        if (descriptor_ < 0) return;
        struct stat about{};
        // Somebody else may have sent and removed it between the two calls.
        if (::flock(descriptor_, lock) != 0 || ::fstat(descriptor_, &about) != 0 ||
            about.st_nlink == 0)
            close();
    }
    ~locked_file() { close(); }
    locked_file(const locked_file&) = delete;
    locked_file& operator=(const locked_file&) = delete;

    explicit operator bool() const noexcept { return descriptor_ >= 0; }

    bool append(std::string_view bytes) noexcept {
        while (!bytes.empty()) {
            const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
            if (count < 0 && errno != EINTR) return false;
            if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    std::string read_all() {
        std::string text;
        char block[65536];
        for (off_t at = 0;;) {
            const ssize_t count = ::pread(descriptor_, block, sizeof block, at);
            if (count <= 0) return text;
            text.append(block, static_cast<std::size_t>(count));
            at += count;
        }
    }

    // What is left takes the place of what was there, at once or not at all.
    bool replace(const std::string& path, std::string_view left) noexcept {
        const std::string fresh = path + ".new";
        locked_file to(fresh, O_WRONLY | O_CREAT | O_TRUNC, LOCK_EX);
        return to && to.append(left) && std::rename(fresh.c_str(), path.c_str()) == 0;
    }

private:
    void close() noexcept {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

    int descriptor_;
};

// Of all files, the oldest first.
std::vector<fs::path> files_in(const std::string& folder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code ignored;  // a folder that is not there yet holds nothing
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().native().ends_with(suffix))
            found.emplace_back(entry.last_write_time(ignored), entry.path());
    std::ranges::sort(found);
    std::vector<fs::path> paths;
    for (auto& [time, path] : found) paths.push_back(std::move(path));
    return paths;
}

struct request {
    signal_kind signal;
    std::string protobuf;
};

std::optional<request> read_line(std::string_view line) {
    const bool traces = line.starts_with("{\"resourceSpans\"");
    auto protobuf = otlp::from_json(
        traces ? otlp::traces_request_message : otlp::metrics_request_message, line);
    if (!protobuf || protobuf->empty()) return std::nullopt;
    return request{traces ? signal_kind::traces : signal_kind::metrics, *std::move(protobuf)};
}

}  // namespace

spool::spool(std::string folder, std::string_view name)
    : folder_(std::move(folder)),
      own_path_((fs::path(folder_) / (std::string(name) + std::string(suffix))).native()) {}

std::int64_t spool::waiting_bytes() const {
    std::int64_t bytes = 0;
    std::error_code gone;
    for (const fs::path& path : files_in(folder_)) {
        const auto size = fs::file_size(path, gone);
        if (!gone) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

bool spool::keep(signal_kind signal, std::string_view protobuf) {
    std::string line;
    const bool good =
        otlp::append_json(signal == signal_kind::metrics ? otlp::metrics_request_message
                                                         : otlp::traces_request_message,
                          protobuf, line);
    line += '\n';
    if (!good || waiting_bytes() + static_cast<std::int64_t>(line.size()) > spool_bytes_max) {
        complain(folder_, "is full; what could not be sent is lost");
        return false;
    }
    std::error_code ignored;  // opening the file tells what is wrong
    if (fs::create_directories(folder_, ignored))
        fs::permissions(folder_, fs::perms::owner_all, ignored);
    locked_file file(own_path_, O_WRONLY | O_CREAT | O_APPEND, LOCK_EX);
    if (file && file.append(line)) return true;
    complain(own_path_, text_of_errno(errno) + "; what could not be sent is lost");
    return false;
}

bool spool::send(exporter& to, const export_limits& limits,
                 const std::function<void(std::string_view, const shipment&)>& report) {
    for (const fs::path& path : files_in(folder_))
        if (!send_file(path.native(), to, limits, report)) return false;
    return true;
}

bool spool::send_file(const std::string& path, exporter& to, const export_limits& limits,
                      const std::function<void(std::string_view, const shipment&)>& report) {
    locked_file file(path, O_RDONLY, LOCK_EX | LOCK_NB);
    if (!file) return true;  // another process is at it
    const std::string text = file.read_all();
    std::size_t at = 0;
    for (int number = 1; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::optional<request> found = read_line(std::string_view(text).substr(at, end - at));
        if (!found) {
            complain(path, "line " + std::to_string(number) + " is no OTLP JSON; it is left out");
        } else {
            shipment what{.signal = found->signal, .body = found->protobuf};
            to.send({&what, 1}, limits);
            report(to.name(), what);
            if (!is_answered(what.result)) {
                if (at != 0) file.replace(path, std::string_view(text).substr(at));
                return false;
            }
        }
        at = end + 1;
    }
    if (::unlink(path.c_str()) != 0) complain(path, text_of_errno(errno));
    return true;
}

}  // namespace gym::telemetry::detail
