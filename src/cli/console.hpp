// SPDX-License-Identifier: Apache-2.0
//
// Standard output and standard error of a verb: what they are, and how to write to them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gymtel {

// How text for people may look.
struct look {
    bool colour = false;  // a terminal that wants it
    bool utf8 = false;    // the locale says so
};

look look_of_stdout();

class console {
public:
    console();
    ~console();
    console(const console&) = delete;
    console& operator=(const console&) = delete;

    // One line on standard error, made printable. Kept back until `flush_complaints`, or until
    // there are many.
    void complain(std::string_view line);
    void flush_complaints();

    // A bar on standard error, when that is a terminal: not before a moment has passed, and not
    // more often than the eye can follow. Nothing is shown when `total` is 0.
    void progress(std::uint64_t done, std::uint64_t total);
    // The same line as free text.
    void status(std::string_view text);
    void clear_progress();
    bool shows_progress() const noexcept { return error_is_terminal_; }

private:
    bool due();
    void show(std::string_view line);

    bool error_is_terminal_;
    bool line_is_shown_ = false;
    std::chrono::steady_clock::time_point next_;
    std::string complaints_;
};

// Without what could steer a terminal or break a line in two: control characters, and those that
// turn the direction of writing. Each becomes a question mark.
std::string printable(std::string_view text);

// All of the text to standard output. False, and a line on standard error that says why, when it
// could not be written.
bool write_stdout(std::string_view text);

}  // namespace gymtel
