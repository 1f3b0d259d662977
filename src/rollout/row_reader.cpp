// SPDX-License-Identifier: Apache-2.0
#include <rollout/json_scan.hpp>
#include <rollout/number.hpp>
#include <rollout/row_reader.hpp>

namespace gym::telemetry::rollout {
namespace {

// Past the key at p and the colon behind it, and the space behind that.
inline const char* skip_key(const char* p) noexcept {
    if (*p != '"') return nullptr;
    p = skip_string(p + 1);
    if (p == nullptr) return nullptr;
    p = skip_space(p);
    return *p == ':' ? skip_space(p + 1) : nullptr;
}

inline const char* skip_scalar(const char* p) noexcept {
    switch (*p) {
        case '"':
            return skip_string(p + 1);
        case 't':
        case 'f':
        case 'n':
            return skip_literal(p);
        default:
            return skip_number(p);
    }
}

}  // namespace

bool is_blank(std::string_view line) noexcept {
    return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

// One value of no interest, whatever it holds. `depth` counts the containers around it. The hot
// loop of a replay: 70 % of the time on real rollouts.
const char* row_reader::skip_value(const char* p, int depth) {
    const int outside = depth;
    bool in_array = false;
    for (;;) {
        if (*p == '{' || *p == '[') {
            if (depth == max_depth) {
                too_deep_ = true;
                return nullptr;
            }
            was_array_[depth++] = in_array;
            in_array = *p == '[';
            p = skip_space(p + 1);
            if (*p != (in_array ? ']' : '}')) {
                if (!in_array) p = skip_key(p);
                if (p == nullptr) return nullptr;
                continue;
            }
            ++p;
            in_array = was_array_[--depth];
        } else {
            p = skip_scalar(p);
            if (p == nullptr) return nullptr;
        }
        for (;;) {
            if (depth == outside) return p;
            p = skip_space(p);
            if (*p == ',') break;
            if (*p != (in_array ? ']' : '}')) return nullptr;
            ++p;
            in_array = was_array_[--depth];
        }
        p = skip_space(p + 1);
        if (!in_array) p = skip_key(p);
        if (p == nullptr) return nullptr;
    }
}

// The value of a field, at p.
const char* row_reader::value(const char* p, int depth, field f) {
    const char* const begin = p;
    switch (*p) {
        case '"':
            p = skip_string(p + 1);
            if (p != nullptr) builder_.text(f, {begin + 1, p - 1});
            return p;
        case '[':
            builder_.container(f, *skip_space(p + 1) == ']');
            return skip_value(p, depth);
        case '{':
            builder_.container(f, *skip_space(p + 1) == '}');
            return is_looked_into(f) ? object(p, depth, f) : skip_value(p, depth);
        case 't':
        case 'f':
        case 'n':
            builder_.literal(f, *p);
            return skip_literal(p);
        default:
            p = skip_number(p);
            if (p != nullptr) builder_.number(f, to_double({begin, p}));
            return p;
    }
}

// The object at p, which is the value of `f`, or the row itself when that is none. Never more than
// three deep in itself, as fields are.
const char* row_reader::object(const char* p, int depth, field f) {
    p = skip_space(p + 1);
    if (*p == '}') return p + 1;
    for (;;) {
        const char* const key = p;
        if (*p != '"') return nullptr;
        p = skip_string(p + 1);
        if (p == nullptr) return nullptr;
        const field inner = find_field(f, {key + 1, p - 1});
        p = skip_space(p);
        if (*p != ':') return nullptr;
        p = skip_space(p + 1);
        p = inner == field::none ? skip_value(p, depth + 1) : value(p, depth + 1, inner);
        if (p == nullptr) return nullptr;
        p = skip_space(p);
        if (*p == '}') return p + 1;
        if (*p != ',') return nullptr;
        p = skip_space(p + 1);
    }
}

reject row_reader::read(const char* begin) {
    builder_.begin();
    too_deep_ = false;
    const char* p = skip_space(begin);
    const bool is_object = *p == '{';
    p = is_object ? object(p, 0, field::none) : skip_value(p, 0);
    if (too_deep_) return reject::too_deep;
    if (p == nullptr) return reject::not_json;
    newline_ = skip_space(p);
    if (*newline_ != '\n') return reject::not_json;
    if (!is_object) return reject::not_an_object;
    last_ = &builder_.finish();
    return reject::none;
}

}  // namespace gym::telemetry::rollout
