// SPDX-License-Identifier: Apache-2.0
#include "health/row_rewrite.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace gym::telemetry::health {

namespace {

constexpr std::string_view replacement_escape = "\\ufffd";
constexpr std::string_view largest_double = "1.7976931348623157e308";

bool number_byte(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The code unit of a `\uXXXX` at the front of the text, or -1.
int escaped_unit(std::string_view text) {
    if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    int unit = 0;
    for (std::size_t i = 2; i < 6; ++i) {
        const int digit = hex_digit(text[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

class rewriter {
public:
    rewriter(std::string_view row, bool wide, std::string& out)
        : row_(row), wide_(wide), out_(out) {}

    bool run() {
        while (at_ < row_.size()) {
            if (row_[at_] == '"') {
                string();
            } else if (row_[at_] == '-' || (row_[at_] >= '0' && row_[at_] <= '9')) {
                number();
            } else {
                out_.push_back(row_[at_++]);
            }
        }
        return changed_;
    }

private:
    void string() {
        out_.push_back(row_[at_++]);
        while (at_ < row_.size() && row_[at_] != '"') {
            if (row_[at_] == '\\') {
                escape();
            } else {
                out_.push_back(row_[at_++]);
            }
        }
        if (at_ < row_.size()) out_.push_back(row_[at_++]);
    }

    void escape() {
        const int unit = escaped_unit(row_.substr(at_));
        if (!wide_ || unit < 0xD800 || unit > 0xDFFF) return copy(unit < 0 ? 2 : 6);
        const int low = unit < 0xDC00 ? escaped_unit(row_.substr(at_ + 6)) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) return copy(12);
        out_.append(replacement_escape);
        at_ += 6;
        changed_ = true;
    }

    void number() {
        std::size_t stop = at_;
        while (stop < row_.size() && number_byte(row_[stop])) ++stop;
        const std::string_view literal = row_.substr(at_, stop - at_);
        const bool negative = literal.front() == '-';
        if (literal.find_first_of(".eE") == std::string_view::npos && beyond_64_bits(literal)) {
            // With an exponent the same digits are a double.
            put_double(literal, negative, "e0");
        } else if (wide_) {
            put_double(literal, negative, "");
        } else {
            out_.append(literal);
        }
        at_ = stop;
    }

    static bool beyond_64_bits(std::string_view literal) {
        const char* end = literal.data() + literal.size();
        std::errc error{};
        if (literal.front() == '-') {
            std::int64_t value = 0;
            error = std::from_chars(literal.data(), end, value).ec;
        } else {
            std::uint64_t value = 0;
            error = std::from_chars(literal.data(), end, value).ec;
        }
        return error == std::errc::result_out_of_range;
    }

    void put_double(std::string_view literal, bool negative, std::string_view suffix) {
        double value = 0;
        const auto parsed = std::from_chars(literal.data(), literal.data() + literal.size(), value);
        const bool whole = parsed.ptr == literal.data() + literal.size();
        const bool huge =
            whole && parsed.ec == std::errc::result_out_of_range && !rounds_to_zero(literal);
        if (wide_ && huge) {
            if (negative) out_.push_back('-');
            out_.append(largest_double);
            changed_ = true;
            return;
        }
        out_.append(literal).append(suffix);
        changed_ = changed_ || !suffix.empty();
    }

    // from_chars says "out of range" for 1e-400 too, which reads as zero. What is out of range
    // below has a negative exponent or starts with 0.
    static bool rounds_to_zero(std::string_view literal) {
        const std::size_t exponent = literal.find_first_of("eE");
        if (exponent != std::string_view::npos && exponent + 1 < literal.size())
            return literal[exponent + 1] == '-';
        return literal.starts_with("0.") || literal.starts_with("-0.");
    }

    void copy(std::size_t count) {
        out_.append(row_.substr(at_, count));
        at_ = std::min(row_.size(), at_ + count);
    }

    std::string_view row_;
    bool wide_;
    std::string& out_;
    std::size_t at_ = 0;
    bool changed_ = false;
};

}  // namespace

bool rewrite_row(std::string_view row, bool wide, std::string& out) {
    out.clear();
    out.reserve(row.size() + 64);
    return rewriter(row, wide, out).run();
}

}  // namespace gym::telemetry::health
