// SPDX-License-Identifier: Apache-2.0
#include <rollout/json_scan.hpp>
#include <rollout/row_stream.hpp>

namespace gym::telemetry::rollout {
namespace {

// Raw bytes of a key or text that are kept: enough for the longest attribute if every character of
// it is written as \uXXXX.
constexpr std::size_t kept_raw_bytes = (1024 + 4) * 6 + 12;

// Beyond this a row is not even checked further: its brackets alone would fill the memory.
constexpr std::uint64_t max_checked_depth = std::uint64_t{1} << 28;

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
constexpr bool is_blank_space(char c) {
    return is_space(c) || c == '\v' || c == '\f';
}

}  // namespace

void row_stream::begin() {
    state_ = state::value;
    blank_ = true;
    utf8_wrong_ = too_deep_ = is_object_ = false;
    utf8_left_ = 0;
    depth_ = 0;
    arrays_.clear();
    inside_ = {};
    looked_into_ = {};
    field_ = field::none;
    builder_.begin();
}

void row_stream::add(std::string_view piece) {
    const char* p = piece.data();
    const char* const end = p + piece.size();
    while (p < end) {
        // What is too long to be held is long texts, as a rule.
        if (state_ == state::string && !is_key_ && field_ == field::none && utf8_left_ == 0) {
            p = skip_plain_text(p, end);
            if (p == end) return;
        }
        check_utf8(static_cast<unsigned char>(*p));
        blank_ = blank_ && is_blank_space(*p);
        if (state_ != state::wrong) step(*p);
        ++p;
    }
}

// As the table of well-formed sequences in the Unicode standard (3-7) has it: no overlong forms, no
// surrogates, nothing beyond U+10FFFF.
void row_stream::check_utf8(unsigned char c) noexcept {
    if (utf8_left_ > 0) {
        utf8_wrong_ |= c < utf8_low_ || c > utf8_high_;
        --utf8_left_;
        utf8_low_ = 0x80;
        utf8_high_ = 0xbf;
        return;
    }
    if (c < 0x80) return;
    utf8_wrong_ |= c < 0xc2 || c > 0xf4;
    utf8_left_ = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    utf8_low_ = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    utf8_high_ = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
}

void row_stream::step(char c) {
    if (in_number()) {
        const state next = number_after(c);
        if (next != state::wrong) {
            state_ = next;
            number_.add(c);
            return;
        }
        end_number();  // c is what follows the number
    }
    if (state_ == state::string) return in_string(c);
    if (state_ >= state::escape && state_ <= state::unicode_1) return in_escape(c);
    if (state_ == state::literal) {
        if (c != *literal_left_)
            state_ = state::wrong;
        else if (*++literal_left_ == '\0')
            value_done();
        return;
    }
    if (!is_space(c)) between_tokens(c);
}

void row_stream::in_escape(char c) {
    keep(c);
    if (state_ == state::escape) {
        const bool is_short = std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
        state_ = is_short ? state::string : c == 'u' ? state::unicode_4 : state::wrong;
    } else if (!is_hex(c)) {
        state_ = state::wrong;
    } else {
        state_ = state_ == state::unicode_4   ? state::unicode_3
                 : state_ == state::unicode_3 ? state::unicode_2
                 : state_ == state::unicode_2 ? state::unicode_1
                                              : state::string;
    }
}

// The first character of a token.
void row_stream::between_tokens(char c) {
    const bool first = state_ == state::first_element || state_ == state::first_key;
    const char closing = depth_ > 0 && innermost_is_array() ? ']' : '}';
    if ((first || state_ == state::after_value) && c == closing) return end_container();
    if (first) builder_.container(opened_, false);
    switch (state_) {
        case state::first_element:
        case state::value:
            return begin_value(c);
        case state::first_key:
        case state::key:
            if (c == '"') return begin_string(true);
            break;
        case state::colon:
            if (c != ':') break;
            state_ = state::value;
            return;
        case state::after_value:
            if (c != ',') break;
            state_ = closing == ']' ? state::value : state::key;
            return;
        default:
            break;
    }
    state_ = state::wrong;
}

void row_stream::begin_value(char c) {
    if (depth_ == 0) is_object_ = c == '{';
    // Elements of arrays are no fields, and neither is what stands deeper.
    if (depth_ == 0 || depth_ > looked_into_.size() || !looked_into_[depth_ - 1])
        field_ = field::none;
    switch (c) {
        case '"':
            return begin_string(false);
        case '{':
        case '[':
            return begin_container(c);
        case 't':
        case 'f':
        case 'n':
            return begin_literal(c);
        default:
            break;
    }
    if (c != '-' && !is_digit(c)) {
        state_ = state::wrong;
        return;
    }
    state_ = c == '-' ? state::minus : c == '0' ? state::zero : state::integer;
    number_.begin();
    number_.add(c);
}

void row_stream::begin_string(bool is_key) noexcept {
    is_key_ = is_key;
    (is_key ? key_ : texts_[static_cast<std::size_t>(field_)]).clear();
    state_ = state::string;
}

void row_stream::begin_literal(char c) noexcept {
    literal_left_ = c == 't' ? "rue" : c == 'f' ? "alse" : "ull";
    builder_.literal(field_, c);
    state_ = state::literal;
}

void row_stream::begin_container(char c) {
    const bool is_array = c == '[';
    builder_.container(field_, true);  // until something stands in it
    opened_ = field_;
    if (depth_ < looked_into_.size()) {
        looked_into_[depth_] = !is_array && (depth_ == 0 || is_looked_into(field_));
        inside_[depth_] = field_;
    }
    push(is_array);
    if (state_ != state::wrong) state_ = is_array ? state::first_element : state::first_key;
}

void row_stream::push(bool is_array) {
    too_deep_ |= depth_ >= max_depth;
    if (depth_ >= max_checked_depth) {
        state_ = state::wrong;
        return;
    }
    if (depth_ / 64 == arrays_.size()) arrays_.push_back(0);
    const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
    arrays_[depth_ / 64] = is_array ? arrays_[depth_ / 64] | bit : arrays_[depth_ / 64] & ~bit;
    ++depth_;
}

bool row_stream::innermost_is_array() const noexcept {
    return ((arrays_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1) != 0;
}

void row_stream::end_container() {
    --depth_;
    value_done();
}

void row_stream::keep(char c) {
    std::string& text = is_key_ ? key_ : texts_[static_cast<std::size_t>(field_)];
    if ((is_key_ || field_ != field::none) && text.size() < kept_raw_bytes) text += c;
}

void row_stream::in_string(char c) {
    if (c == '"') return end_string();
    if (static_cast<unsigned char>(c) < 0x20) {
        state_ = state::wrong;
        return;
    }
    if (c == '\\') state_ = state::escape;
    keep(c);
}

void row_stream::end_string() {
    if (!is_key_) {
        builder_.text(field_, texts_[static_cast<std::size_t>(field_)]);
        return value_done();
    }
    const bool looked_into = depth_ <= looked_into_.size() && looked_into_[depth_ - 1];
    field_ = looked_into ? find_field(inside_[depth_ - 1], key_) : field::none;
    state_ = state::colon;
}

void row_stream::value_done() noexcept {
    field_ = field::none;
    state_ = depth_ == 0 ? state::end : state::after_value;
}

bool row_stream::in_number() const noexcept {
    return state_ >= state::minus && state_ <= state::exponent_digits;
}

row_stream::state row_stream::number_after(char c) const noexcept {
    const bool e = c == 'e' || c == 'E';
    switch (state_) {
        case state::minus:
            return c == '0' ? state::zero : is_digit(c) ? state::integer : state::wrong;
        case state::zero:
            return c == '.' ? state::point : e ? state::exponent : state::wrong;
        case state::integer:
            return is_digit(c) ? state::integer
                   : c == '.'  ? state::point
                   : e         ? state::exponent
                               : state::wrong;
        case state::point:
            return is_digit(c) ? state::fraction : state::wrong;
        case state::fraction:
            return is_digit(c) ? state::fraction : e ? state::exponent : state::wrong;
        case state::exponent:
            if (c == '+' || c == '-') return state::exponent_sign;
            [[fallthrough]];
        case state::exponent_sign:
        case state::exponent_digits:
            return is_digit(c) ? state::exponent_digits : state::wrong;
        default:
            return state::wrong;
    }
}

void row_stream::end_number() {
    const bool complete = state_ == state::zero || state_ == state::integer ||
                          state_ == state::fraction || state_ == state::exponent_digits;
    if (!complete) {
        state_ = state::wrong;
        return;
    }
    builder_.number(field_, number_.value());
    value_done();
}

reject row_stream::finish(bool terminated) {
    if (in_number()) end_number();
    utf8_wrong_ |= utf8_left_ > 0;
    const bool is_json = state_ == state::end && !utf8_wrong_;
    if (!terminated && !is_json) return reject::truncated;
    if (utf8_wrong_) return reject::utf8;
    if (too_deep_) return reject::too_deep;
    if (!is_json) return reject::not_json;
    if (!is_object_) return reject::not_an_object;
    last_ = &builder_.finish();
    return reject::none;
}

}  // namespace gym::telemetry::rollout
