// SPDX-License-Identifier: Apache-2.0
#include "export/json_lines.hpp"

#include "base/diagnostics.hpp"
#include "otlp/json.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace gym::telemetry::detail {

namespace {

using std::chrono::milliseconds;

std::string text_of_errno(int code) {
    return std::generic_category().message(code);
}

// A pipe that is full: waits until it takes more, or the deadline.
bool wait_until_writable(int descriptor, const export_limits& limits) {
    const auto left = std::chrono::ceil<milliseconds>(limits.deadline() - steady_clock::now());
    if (left <= milliseconds(0)) return false;
    // In short pieces, since a shutdown may tighten the deadline meanwhile.
    pollfd what{descriptor, POLLOUT, 0};
    ::poll(&what, 1, static_cast<int>(std::min(left, milliseconds(100)).count()));
    return true;
}

class json_lines_exporter final : public exporter {
public:
    json_lines_exporter(std::string_view name, std::string path, int descriptor, bool owned)
        : name_(name), path_(std::move(path)), descriptor_(descriptor), owned_(owned) {}
    ~json_lines_exporter() override {
        if (owned_) ::close(descriptor_);
    }

    std::string_view name() const noexcept override { return name_; }

    void send(std::span<shipment> what, const export_limits& limits) override {
        for (shipment& s : what) {
            const auto begun = steady_clock::now();
            send_one(s, limits);
            s.duration_ms =
                std::chrono::duration<double, std::milli>(steady_clock::now() - begun).count();
        }
    }

    void abandon_in_child() noexcept override {
        if (owned_) ::close(descriptor_);
    }

private:
    void send_one(shipment& what, const export_limits& limits) {
        // After a write that broke off: what follows stands on a line of its own.
        line_.assign(broken_ ? "\n" : "");
        const otlp::message_row& type = what.signal == signal_kind::metrics
                                            ? otlp::metrics_request_message
                                            : otlp::traces_request_message;
        [[maybe_unused]] const bool good = otlp::append_json(type, what.body, line_);
        line_ += '\n';
        const int problem = write_line(limits);
        what.result = problem == 0 ? outcome::ok : outcome::failed;
        if (problem != 0)
            diagnose("export.failed", name_ + ": " + path_ + ": " + text_of_errno(problem), name_);
    }

    // 0 or an errno.
    int write_line(const export_limits& limits) {
        std::string_view left = line_;
        while (!left.empty()) {
            const ssize_t count = ::write(descriptor_, left.data(), left.size());
            if (count >= 0) {
                left.remove_prefix(static_cast<std::size_t>(count));
            } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
                if (!wait_until_writable(descriptor_, limits)) return stopped(left, ETIMEDOUT);
            } else if (errno != EINTR) {
                return stopped(left, errno);
            }
        }
        broken_ = false;
        return 0;
    }

    int stopped(std::string_view left, int why) {
        broken_ |= left.size() != line_.size();
        return why;
    }

    std::string name_;
    std::string path_;
    int descriptor_;
    bool owned_;
    bool broken_ = false;
    std::string line_;  // kept for its memory
};

}  // namespace

std::unique_ptr<exporter> make_file_exporter(const std::string& path) {
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor >= 0)
        return std::make_unique<json_lines_exporter>("file", path, descriptor, true);
    diagnose("export.file", "file: " + path + ": " + text_of_errno(errno), path);
    return nullptr;
}

std::unique_ptr<exporter> make_console_exporter() {
    return std::make_unique<json_lines_exporter>("console", "stdout", STDOUT_FILENO, false);
}

}  // namespace gym::telemetry::detail
