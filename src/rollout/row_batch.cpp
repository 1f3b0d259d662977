// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <rollout/escapes.hpp>
#include <rollout/json_scan.hpp>
#include <rollout/number.hpp>
#include <rollout/row_batch.hpp>
#include <simdjson.h>

namespace gym::telemetry::rollout {
namespace {

// What may stand right behind a number or a literal. The index does not show what else does.
constexpr std::array<bool, 256> ends_scalar = [] {
    std::array<bool, 256> table{};
    for (const char c : {',', ']', '}', ' ', '\t', '\r', '\n'})
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();

inline bool scalar_ends(const char* p) noexcept {
    return p != nullptr && ends_scalar[static_cast<unsigned char>(*p)];
}

}  // namespace

row_batch::row_batch(std::size_t max_bytes) : max_bytes_(max_bytes) {
    // No parser (out of memory): every block is refused and read row by row.
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(
            max_bytes, max_depth, parser_) != simdjson::SUCCESS)
        parser_.reset();
}

row_batch::~row_batch() = default;

bool row_batch::index(const char* begin, std::size_t size) {
    if (parser_ == nullptr || size > max_bytes_) return false;
    // Checks UTF-8, control characters in strings (so no string holds a newline) and quotes.
    if (parser_->stage1(reinterpret_cast<const std::uint8_t*>(begin), size,
                        simdjson::stage1_mode::regular) != simdjson::SUCCESS)
        return false;
    // It does not look at what follows a backslash. One outside of a string is found by the walk:
    // no token begins with a backslash, and none is followed by one.
    if (!escapes_are_valid(begin, size)) return false;
    // A walk that runs out of tokens finds the last newline, which no token begins with. It never
    // looks further than at the second.
    const std::uint32_t count = parser_->n_structural_indexes;
    parser_->structural_indexes[count] = static_cast<std::uint32_t>(size - 1);
    parser_->structural_indexes[count + 1] = static_cast<std::uint32_t>(size - 1);
    text_ = begin;
    at_ = parser_->structural_indexes.get();
    return true;
}

// The closing quote of the string that begins before the current token: the last character before
// it that is no space, since anything else would be a token.
const char* row_batch::string_end() const noexcept {
    const char* p = here() - 1;
    while (*p != '"') --p;
    return p;
}

inline bool row_batch::skip_key() noexcept {
    if (text_[at_[0]] != '"' || text_[at_[1]] != ':') return false;
    at_ += 2;
    return true;
}

// The hot loop of a replay. As row_reader's, along the index.
bool row_batch::skip_value(int depth) noexcept {
    const int outside = depth;
    bool in_array = false;
    for (;;) {
        const char* const p = here();
        ++at_;
        switch (*p) {
            case '"':
                break;
            case '{':
            case '[':
                if (depth == max_depth) return false;
                was_array_[depth++] = in_array;
                in_array = *p == '[';
                if (current() != (in_array ? ']' : '}')) {
                    if (!in_array && !skip_key()) return false;
                    continue;
                }
                ++at_;
                in_array = was_array_[--depth];
                break;
            case 't':
            case 'f':
            case 'n':
                if (!scalar_ends(skip_literal(p))) return false;
                break;
            default:
                if (!scalar_ends(skip_number(p))) return false;
        }
        for (;;) {
            if (depth == outside) return true;
            const char c = current();
            ++at_;
            if (c == ',') break;
            if (c != (in_array ? ']' : '}')) return false;
            in_array = was_array_[--depth];
        }
        if (!in_array && !skip_key()) return false;
    }
}

bool row_batch::value(int depth, field f) {
    const char* const p = here();
    switch (*p) {
        case '"':
            ++at_;
            builder_.text(f, {p + 1, string_end()});
            return true;
        case '[':
            builder_.container(f, text_[at_[1]] == ']');
            return skip_value(depth);
        case '{':
            builder_.container(f, text_[at_[1]] == '}');
            return is_looked_into(f) ? object(depth, f) : skip_value(depth);
        case 't':
        case 'f':
        case 'n':
            builder_.literal(f, *p);
            return skip_value(depth);
        default: {
            const char* const end = skip_number(p);
            ++at_;
            if (!scalar_ends(end)) return false;
            builder_.number(f, to_double({p, end}));
            return true;
        }
    }
}

bool row_batch::object(int depth, field f) {
    ++at_;
    if (current() == '}') {
        ++at_;
        return true;
    }
    for (;;) {
        const char* const key = here();
        if (!skip_key()) return false;
        --at_;
        const field inner = find_field(f, {key + 1, string_end()});
        ++at_;
        if (!(inner == field::none ? skip_value(depth + 1) : value(depth + 1, inner))) return false;
        const char c = current();
        ++at_;
        if (c == '}') return true;
        if (c != ',') return false;
    }
}

row_batch::line row_batch::next(const char* newline) {
    if (here() >= newline) return line::blank;
    if (current() != '{') return line::odd;
    builder_.begin();
    // The row must end on its line, and nothing else may stand there.
    if (!object(0, field::none) || text_ + at_[-1] >= newline || here() < newline) return line::odd;
    last_ = &builder_.finish();
    return line::row;
}

}  // namespace gym::telemetry::rollout
