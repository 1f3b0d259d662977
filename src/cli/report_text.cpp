// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include <base/display_width.hpp>
#include <cli/report_text.hpp>
#include <fmt/format.h>

namespace gymtel {
namespace {

using gym::telemetry::detail::begin_that_fits;
using gym::telemetry::detail::display_width;
using gym::telemetry::detail::end_that_fits;

// A percentage is one word: "50 %" is not broken in two.
std::size_t end_of_word(std::string_view text) {
    const std::size_t space = text.find(' ');
    return space != text.npos && text.substr(space, 2) == " %" ? text.find(' ', space + 1) : space;
}

}  // namespace

std::string toned(std::string_view text, tone t, const look& how) {
    constexpr std::array<std::string_view, 6> codes = {"", "1", "2", "32", "33", "31"};
    if (!how.colour || t == tone::plain) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(t)], text);
}

std::string grouped(std::uint64_t number) {
    if (number >= 1'000'000'000) {
        constexpr std::array<const char*, 4> units = {"G", "T", "P", "E"};
        double scaled = static_cast<double>(number) / 1e9;
        std::size_t unit = 0;
        for (; scaled >= 999.95; ++unit) scaled /= 1000;
        return fmt::format("{:.1f} {}", scaled, units[unit]);
    }
    std::string out = std::to_string(number);
    for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
    return out;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (part == 0 || whole == 0) return "0 %";
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (part == whole) return "100 %";
    if (share < 0.1) return "<0.1 %";
    if (share < 9.95) return fmt::format("{:.1f} %", share);
    return fmt::format("{} %", std::min(99, static_cast<int>(share + 0.5)));
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

std::string left_cell(std::string_view text, std::size_t width, const look& how) {
    std::string out = printable(text);
    if (display_width(out) > width) {
        // The begin and the end of a name tell it from others.
        const std::size_t head = (width - 1) * 2 / 3;
        out = std::string(begin_that_fits(out, head)) + (how.utf8 ? "\xe2\x80\xa6" : "~") +
              std::string(end_that_fits(out, width - 1 - head));
    }
    return out + std::string(width - display_width(out), ' ');
}

std::string right_cell(std::string_view text, std::size_t width) {
    const std::size_t wide = display_width(text);
    return std::string(wide < width ? width - wide : 0, ' ') + std::string(text);
}

std::string wrapped(std::string_view text, std::size_t first_indent, std::size_t indent) {
    std::string out(first_indent, ' ');
    std::size_t line = 0;  // its columns; 0 before the first word
    while (!text.empty()) {
        const std::string_view word = text.substr(0, end_of_word(text));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const std::size_t wide = display_width(word);
        if (line > 0 && line + 1 + wide > report_width) {
            out += "\n" + std::string(indent, ' ');
            line = indent;
        } else if (line > 0) {
            out += ' ';
            ++line;
        } else {
            line = first_indent;
        }
        out += word;
        line += wide;
    }
    return out + "\n";
}

}  // namespace gymtel
