// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <cli/console.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace gymtel {
namespace {

constexpr std::size_t max_kept_complaints = std::size_t{16} << 10;
constexpr auto progress_delay = std::chrono::milliseconds(400);
constexpr auto progress_period = std::chrono::milliseconds(100);

// False with errno. Goes on after short writes.
bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (!is_set(name)) continue;
        std::string value = std::getenv(name);
        std::transform(value.begin(), value.end(), value.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
        return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
    return false;
}

}  // namespace

look look_of_stdout() {
    const char* term = std::getenv("TERM");
    const bool dumb = term == nullptr || std::string_view(term) == "dumb";
    return {.colour = ::isatty(STDOUT_FILENO) != 0 && !dumb && !is_set("NO_COLOR"),
            .utf8 = locale_is_utf8()};
}

console::console()
    : error_is_terminal_(::isatty(STDERR_FILENO) != 0),
      next_(std::chrono::steady_clock::now() + progress_delay) {}

console::~console() {
    clear_progress();
    flush_complaints();
}

void console::complain(std::string_view line) {
    complaints_ += line;
    complaints_ += '\n';
    if (complaints_.size() >= max_kept_complaints) flush_complaints();
}

void console::flush_complaints() {
    if (complaints_.empty()) return;
    clear_progress();
    // Nowhere is left to complain when standard error cannot be written.
    (void)write_all(STDERR_FILENO, complaints_);
    complaints_.clear();
}

bool console::due() {
    if (!error_is_terminal_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + progress_period;
    return true;
}

void console::show(std::string_view line) {
    line_is_shown_ = write_all(STDERR_FILENO, fmt::format("\r\x1b[K{}", line));
}

void console::progress(std::uint64_t done, std::uint64_t total) {
    if (total == 0 || !due()) return;
    constexpr std::size_t width = 40;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const auto filled = static_cast<std::size_t>(share * double(width));
    show(fmt::format(" reading [{}{}] {:3.0f} %", std::string(filled, '='),
                     std::string(width - filled, ' '), share * 100));
}

void console::status(std::string_view text) {
    if (due()) show(text);
}

void console::clear_progress() {
    if (!line_is_shown_) return;
    (void)write_all(STDERR_FILENO, "\r\x1b[K");
    line_is_shown_ = false;
}

bool write_stdout(std::string_view text) {
    return write_all(STDOUT_FILENO, text);
}

}  // namespace gymtel
