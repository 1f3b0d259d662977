// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

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

// Length of the control character or turn of direction that the text begins with; 0 for none.
std::size_t steering_bytes(std::string_view text) {
    const auto at = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    if (at(0) < 0x20 || at(0) == 0x7f) return 1;
    if (at(0) == 0xc2 && at(1) >= 0x80 && at(1) < 0xa0) return 2;  // U+0080..U+009F
    if (at(0) != 0xe2) return 0;
    const bool marks = at(1) == 0x80 && (at(2) == 0x8e || at(2) == 0x8f);   // U+200E U+200F
    const bool turns = at(1) == 0x80 && at(2) >= 0xaa && at(2) <= 0xae;     // U+202A..U+202E
    const bool isolates = at(1) == 0x81 && at(2) >= 0xa6 && at(2) <= 0xa9;  // U+2066..U+2069
    return marks || turns || isolates ? 3 : 0;
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
    complaints_ += printable(line);
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

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t steering = steering_bytes(text);
        out += steering > 0 ? '?' : text[0];
        text.remove_prefix(std::max<std::size_t>(steering, 1));
    }
    return out;
}

bool write_stdout(std::string_view text) {
    if (write_all(STDOUT_FILENO, text)) return true;
    const std::string why = fmt::format("gymtel: standard output: {}\n", std::strerror(errno));
    (void)write_all(STDERR_FILENO, why);
    return false;
}

}  // namespace gymtel
