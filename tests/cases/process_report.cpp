// SPDX-License-Identifier: Apache-2.0
#include "process_report.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace gym::telemetry::cases {

namespace {

int report_file() {
    static const int file = [] {
        const char* path = std::getenv(report_variable);
        return path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    }();
    return file;
}

}  // namespace

std::int64_t monotonic_ns() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void report(std::string_view name, std::string_view text) {
    const std::int64_t now = monotonic_ns();
    if (report_file() < 0) return;
    std::string line = std::to_string(getpid()) + ' ' + std::to_string(now) + ' ';
    (line += name) += ' ';
    for (const char c : text) line += c == '\n' ? ' ' : c;
    line += '\n';
    // One write: lines of several processes do not mix.
    [[maybe_unused]] const ssize_t written = write(report_file(), line.data(), line.size());
}

void report(std::string_view name, std::int64_t number) {
    report(name, std::string_view(std::to_string(number)));
}

std::vector<report_event> read_report(const std::string& path) {
    std::vector<report_event> events;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        report_event event;
        words >> event.pid >> event.at_ns >> event.name;
        words.get();
        std::getline(words, event.text);
        events.push_back(std::move(event));
    }
    return events;
}

}  // namespace gym::telemetry::cases
